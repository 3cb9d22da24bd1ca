package mirror

import "agentstudio/engine"

// Role is what a device may do.
type Role string

// The roles. Presenter and operator are given to a paired device at the terminal, never by a code.
const (
	Viewer    Role = "viewer"    // follow, as far as shared
	Approver  Role = "approver"  // also see everything, decide, cancel the run, upload
	Presenter Role = "presenter" // see everything
	Operator  Role = "operator"  // as approver; also send, steer and give more time
)

// Roles lists them. The caller owns the slice.
func Roles() []Role { return []Role{Viewer, Approver, Presenter, Operator} }

// act is something that a role may do or not.
type act int

const (
	anybody act = iota // before any token: the page and pairing
	follow
	decide // and cancel, upload
	operate
)

// may is the one table of roles.
func (r Role) may(a act) bool {
	switch a {
	case anybody:
		return true
	case follow:
		return r == Viewer || r == Approver || r == Presenter || r == Operator
	case decide:
		return r == Approver || r == Operator
	case operate:
		return r == Operator
	}
	return false
}

func (r Role) valid() bool { return r.may(follow) }

// needsTLS tells whether the role may only be held where nobody on the way can read or change what
// is sent.
func (r Role) needsTLS() bool { return r != Viewer }

func refuseRole(r Role) error {
	return engine.Errorf(engine.NotAllowed, "the role %s may not do that; ask at the terminal for another role", string(r))
}
