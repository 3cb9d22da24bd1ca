package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agentstudio/engine"
	"agentstudio/engine/journal"
	"agentstudio/engine/safe"
)

// sessionsCommand shows what is on disk.
func (o *options) sessionsCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "sessions", Short: "List, show, check, rename, mend and delete saved sessions", Args: cobra.NoArgs,
		Long:    "sessions works on what is saved in the state directory. An ID is that of the list; last is the newest session.",
		Example: "  agentstudio sessions list\n  agentstudio sessions show last --json",
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var asJSON bool
	add := func(use, short string, args cobra.PositionalArgs, do func(context.Context, *journal.Store, []string) error) *cobra.Command {
		sub := &cobra.Command{Use: use, Short: short, Args: args, RunE: func(c *cobra.Command, args []string) error {
			looks := c.Flags().Lookup("json") != nil // what prints data changes nothing
			st, err := o.saved(looks)
			if err == nil && len(args) > 0 && args[0] == "last" {
				var newest engine.SessionID
				newest, err = st.Newest(c.Context())
				args[0] = string(newest)
			}
			if err != nil {
				return err
			}
			return do(c.Context(), st, args)
		}}
		sub.Example = "  agentstudio sessions " + strings.NewReplacer("ID", "last", "TITLE", `"Monday's demo"`).Replace(use)
		c.AddCommand(sub)
		return sub
	}
	list := add("list", "List saved sessions, the newest first", cobra.NoArgs, func(ctx context.Context, st *journal.Store, _ []string) error {
		return o.listSessions(ctx, st, asJSON)
	})
	show := add("show ID", "Print a session's events", cobra.ExactArgs(1), func(ctx context.Context, st *journal.Store, a []string) error {
		return o.showSession(ctx, st, engine.SessionID(a[0]), asJSON)
	})
	verify := add("verify ID", "Check a session's journal, changing nothing", cobra.ExactArgs(1), func(_ context.Context, st *journal.Store, a []string) error {
		return o.verifySession(st, engine.SessionID(a[0]), asJSON)
	})
	for _, sub := range []*cobra.Command{list, show, verify} {
		sub.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	add("rename ID TITLE", "Give a session another title", cobra.ExactArgs(2), func(ctx context.Context, _ *journal.Store, a []string) error {
		return o.renameSession(ctx, a[0], a[1])
	})
	o.destructive(add)
	return c
}

type adder func(use, short string, args cobra.PositionalArgs, do func(context.Context, *journal.Store, []string) error) *cobra.Command

// destructive adds the commands that ask for --yes before they change or remove anything.
func (o *options) destructive(add adder) {
	var yes bool
	del := add("delete ID", "Delete a session with all its files", cobra.ExactArgs(1), func(_ context.Context, st *journal.Store, a []string) error {
		if r, err := st.ReadOnly(engine.SessionID(a[0])); err != nil && engine.CodeOf(err) == engine.SessionNotFound {
			return err
		} else if err == nil {
			_ = r.Close()
		}
		if !yes {
			return engine.Errorf(engine.ConfigInvalid, "this deletes the session %s with its artifacts for good; say --yes to do it", a[0])
		}
		return st.Delete(engine.SessionID(a[0]))
	})
	repair := add("repair ID", "Mend a damaged journal; the old one is kept", cobra.ExactArgs(1), func(_ context.Context, st *journal.Store, a []string) error {
		return o.repairSession(st, engine.SessionID(a[0]), yes)
	})
	for _, sub := range []*cobra.Command{del, repair} {
		sub.Flags().BoolVar(&yes, "yes", false, "do it, not only say it")
		sub.Example += " --yes"
	}
}

// repairSession says what a repair drops, and then does it if that was said.
func (o *options) repairSession(st *journal.Store, id engine.SessionID, yes bool) error {
	plan, err := st.Repair(id, false)
	if err != nil {
		return err
	}
	if len(plan.Dropped) == 0 {
		fmt.Fprintf(o.std.out, "the journal is whole: %d events; there is nothing to repair\n", plan.Kept)
		return nil
	}
	for _, d := range plan.Dropped {
		fmt.Fprintf(o.std.out, "line %d at byte %d: %s\n", d.Line, d.Offset, safe.Text(d.Reason, safe.Inline))
	}
	if !yes {
		fmt.Fprintf(o.std.out, "would keep %d events, put %d in the place of lost ones and drop the %d places above; --yes does it, keeping the old file\n", plan.Kept, plan.Missing, len(plan.Dropped))
		return nil
	}
	if plan, err = st.Repair(id, true); err != nil {
		return err
	}
	fmt.Fprintf(o.std.out, "kept %d events, put %d in the place of lost ones; the old journal is %s\n", plan.Kept, plan.Missing, plan.Backup)
	return nil
}

// saved opens the store of the state directory; for looking only it need not be there or be ours to
// write.
func (o *options) saved(looks bool) (*journal.Store, error) {
	root, err := o.stateRoot()
	if err != nil {
		return nil, err
	}
	return journal.Open(root, journal.Options{ReadOnly: looks})
}

func (o *options) listSessions(ctx context.Context, st *journal.Store, asJSON bool) error {
	all, err := st.List(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(o.std.out, all)
	}
	if len(all) == 0 {
		fmt.Fprintln(o.std.out, "no session has been saved yet")
		return nil
	}
	w := tabwriter.NewWriter(o.std.out, 0, 4, 2, ' ', 0)
	for _, l := range all {
		if l.Title == "" {
			l.Title = l.Reason
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", l.ID, l.State, l.Events, safe.Text(l.UpdatedAt, safe.Inline), safe.Truncate(safe.Text(l.Title, safe.Inline), 60, "…"))
	}
	return w.Flush()
}

func (o *options) showSession(ctx context.Context, st *journal.Store, id engine.SessionID, asJSON bool) error {
	j, err := st.ReadOnly(id)
	if err != nil {
		return err
	}
	defer j.Close()
	lang, err := o.language()
	if err != nil {
		return err
	}
	t := &teller{std: stdio{out: o.std.out, err: o.std.out}, json: asJSON, lang: lang}
	for e, err := range j.Replay(ctx, 0) {
		if err != nil {
			return err
		}
		if err := t.tell(e); err != nil {
			return err
		}
	}
	return nil
}

func (o *options) verifySession(st *journal.Store, id engine.SessionID, asJSON bool) error {
	r, err := st.Verify(id)
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(o.std.out, r)
	} else {
		fmt.Fprintf(o.std.out, "%d events, last sequence %d\n", r.Events, r.LastSequence)
		if r.TornBytes > 0 {
			fmt.Fprintf(o.std.out, "the last record was incomplete (%d bytes); the next opening sets it aside\n", r.TornBytes)
		}
		for _, d := range r.Damaged {
			fmt.Fprintf(o.std.out, "line %d at byte %d: %s\n", d.Line, d.Offset, safe.Text(d.Reason, safe.Inline))
		}
		for _, n := range r.Notes {
			fmt.Fprintf(o.std.out, "line %d at byte %d: %s (nothing is lost by it)\n", n.Line, n.Offset, safe.Text(n.Reason, safe.Inline))
		}
	}
	if err == nil && !r.OK {
		err = silent{exitFailed}
	}
	return err
}

// renameSession opens the session as the studio would: what was interrupted in it is ended too.
func (o *options) renameSession(ctx context.Context, id, title string) error {
	o.resume, o.modelless = id, true
	s, err := o.assemble(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	_, err = s.session.Do(ctx, engine.Rename{Title: title, By: engine.Actor{Screen: "cli", Name: "sessions rename"}})
	return err
}

// printJSON prints one object, indented for people; programs don't mind.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
