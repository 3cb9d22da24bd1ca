package main

import (
	"context"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentstudio/engine"
	"agentstudio/engine/config"
	"agentstudio/engine/journal"
	"agentstudio/engine/scenario"
	"agentstudio/engine/skillset"
	"agentstudio/engine/tool"
	"agentstudio/engine/words"
	"agentstudio/engine/workspace"
	"agentstudio/fixtures"
	"agentstudio/skills"
)

// options are what the flags say; the same flags mean the same for every command that has them.
type options struct {
	std stdio

	scenario   string
	workspace  string
	skills     []string
	userSkills bool
	state      string
	noSave     bool
	resume     string
	lang       string
	theme      string
	ascii      bool
	plain      bool
	expiry     time.Duration
	seed       uint64
	clock      string
	pace       bool
	maxTurns   int
	maxTokens  int
	maxCost    string
	deadline   time.Duration

	provider  string
	api       string
	model     string
	baseURL   string
	images    string
	window    int
	thinking  string
	keyFile   string
	localhost bool
	private   bool
	proxy     string

	mirror  bool // switched on from the start
	mirrors mirrorFlags
	logs    logs

	shared *pflag.FlagSet    // the flags that all commands share, to ask which were given
	screen *pflag.FlagSet    // those of the studio
	config *config.Config    // once it was read, see configured
	vars   map[string]string // of the environment, about the connection

	connections *connections // once they were made, see connecting
	ring        secretStore  // nil for the system's keyring
	modelless   bool         // what is opened can do without a model, and says so
}

// bind declares the flags that all commands share.
func (o *options) bind(root *cobra.Command) {
	f := root.PersistentFlags()
	o.shared = f
	f.StringVar(&o.scenario, "scenario", "ads-report", "script of the scripted model: a bundled name, else a file")
	f.StringVar(&o.workspace, "workspace", "", "folder that the tools may read (default the session's own empty folder)")
	f.StringArrayVar(&o.skills, "skills", nil, "further folder with skills; may be given more than once")
	f.BoolVar(&o.userSkills, "user-skills", false, "also look for skills below the home folder")
	f.StringVar(&o.state, "state", "", "folder for sessions (default $AGENT_STUDIO_STATE, else the XDG state directory)")
	f.BoolVar(&o.noSave, "no-save", false, "keep the session in memory only")
	f.StringVar(&o.lang, "lang", "", "language of the interface: en or zh (default from the config file, else LC_ALL, LC_MESSAGES, LANG)")
	f.DurationVar(&o.expiry, "approval-expiry", 0, "how long an approval waits for a person (default 5m, at most 1h)")
	f.Uint64Var(&o.seed, "seed", 0, "make ids and pauses from this number instead of chance")
	f.StringVar(&o.clock, "clock", "", "make time from this RFC 3339 time, one millisecond an event")
	f.IntVar(&o.maxTurns, "max-turns", 0, "model calls a run may make (default 20)")
	f.IntVar(&o.maxTokens, "max-tokens", 0, "tokens in and out a run may use (default 500000)")
	f.StringVar(&o.maxCost, "max-cost", "", "most a run may cost, in US dollars (default no limit)")
	f.DurationVar(&o.deadline, "deadline", 0, "time a run may take without waiting for people (default 10m)")
	for _, name := range []string{"approval-expiry", "deadline"} {
		f.Lookup(name).DefValue = "" // help would show 0s, and the text says what none means
	}
	o.bindConnection(f)
	l := root.Flags()
	o.screen = l
	l.StringVar(&o.resume, "resume", "", "reopen the session with this id; last for the newest")
	l.StringVar(&o.theme, "theme", "", "dark, light or projector (default from the terminal's background)")
	l.BoolVar(&o.ascii, "ascii", false, "draw with ASCII characters only")
	l.BoolVar(&o.mirror, "mirror", false, "switch the web mirror on, as F3 does")
	o.mirrors.bind(l)
	l.BoolVar(&o.plain, "plain", false, "no panes: every event as a labelled line, for screen readers and slow links")
}

// studio is all that a command with a session works on.
type studio struct {
	engine   *engine.Engine
	session  *engine.Session
	scenario *scenario.Scenario
	store    *journal.Store // nil with --no-save
	space    *workspace.Workspace
	lang     words.Lang
	news     string // about the connection, for whoever sits there; "" for none
	real     bool   // it isn't the scenario that speaks
	close    func()
	key      engine.Secret // of the model
	// chosen is the model that the screen has chosen since the start, nil for none.
	chosen func() *engine.Connection
}

// assemble wires the packages together and opens the session.
func (o *options) assemble(ctx context.Context) (*studio, error) {
	lang, err := o.language()
	if err != nil {
		return nil, err
	}
	clock, newID, err := o.time()
	if err != nil {
		return nil, err
	}
	sc, err := scenario.Load(o.scenario, fixtures.Scenarios())
	if err != nil {
		return nil, err
	}
	if err := o.checkFlags(); err != nil {
		return nil, err
	}
	conf, err := o.configured()
	if err != nil {
		return nil, err
	}
	root, err := o.stateRoot()
	if err != nil {
		return nil, err
	}
	s := &studio{scenario: sc, lang: lang}
	models, model, err := o.modelFor(ctx, s, sc.Model(scenario.Options{Lang: string(lang), Pace: o.pace, Wait: scenario.Pause(clock), Seed: o.seed}))
	if err != nil {
		return nil, err
	}
	space, catalog, err := o.workspaceAndSkills(ctx, root)
	if err != nil {
		return nil, err
	}
	s.space = space
	cfg := engine.Config{
		Model: model, Models: models, Key: s.key,
		Tools:   func(env engine.Env) []engine.Tool { return tool.All(space, env) },
		Catalog: catalog, Budget: conf.Budget(), Policy: conf.Policy, Clock: clock, NewID: newID, Chance: o.chance(), Version: version,
		Workspace: o.shownWorkspace(), ApprovalExpiry: firstOf(o.expiry, sc.ApprovalExpiry(), conf.Duration("approvalExpiry")),
		ReadSkill: func(ctx context.Context, at string) (io.ReadCloser, error) {
			f, _, err := space.OpenFile(ctx, at)
			return f, err
		},
		ListFolder: listFolder(space), Intake: takePictures(newID),
		Fault: o.fault(root),
	}
	if s.store, err = o.openStore(&cfg, root); err == nil {
		s.engine = engine.New(cfg)
		s.session, err = s.open(ctx, o.resume)
	}
	if err != nil {
		_ = space.Close()
		return nil, err
	}
	s.close = func() {
		_ = s.engine.Close()
		_ = space.Close()
	}
	return s, nil
}

// openStore puts the place of sessions into cfg: memory, or the state directory, which must be
// writable now so that nobody finds out later.
func (o *options) openStore(cfg *engine.Config, root string) (*journal.Store, error) {
	if o.noSave {
		cfg.Store = &engine.MemStore{Artifacts: func(engine.SessionID) engine.ArtifactStore { return workspace.NewMemArtifacts() },
			Attachments: func(engine.SessionID) engine.AttachmentFiles { return workspace.NewMemArtifacts() }}
		return nil, nil
	}
	st, err := journal.Open(root, journal.Options{
		Artifacts: func(dir string) engine.ArtifactStore { return workspace.NewArtifacts(dir, workspace.ArtifactOptions{}) },
		Attachments: func(dir string) engine.AttachmentFiles {
			return workspace.NewArtifacts(dir, workspace.ArtifactOptions{})
		},
	})
	if err != nil {
		return nil, err
	}
	cfg.Store = st
	return st, nil
}

func (s *studio) open(ctx context.Context, id string) (*engine.Session, error) {
	if id == "last" {
		if s.store == nil {
			return nil, engine.Errorf(engine.ConfigInvalid, "--resume needs the saved sessions, and --no-save keeps none")
		}
		newest, err := s.store.Newest(ctx)
		if err != nil {
			return nil, err
		}
		id = string(newest)
	}
	return s.engine.Open(ctx, engine.SessionID(id))
}

// language is that of the interface: of the flag, else of the config file, else of the locale.
func (o *options) language() (words.Lang, error) {
	if err := o.checkLang(); err != nil {
		return "", err
	}
	c, err := o.configured()
	if err != nil {
		return "", err
	}
	if c.Text("language") == "" {
		return words.English, nil
	}
	return words.Lang(c.Text("language")), nil
}

func (o *options) checkLang() error {
	if o.lang != "" && !slices.Contains(words.Languages(), words.Lang(o.lang)) {
		return engine.Errorf(engine.ConfigInvalid, "--lang takes en or zh, not %q", o.lang)
	}
	return nil
}

// checkFlags says what is wrong with those flags whose values the config file could have too.
func (o *options) checkFlags() error {
	if o.given("max-turns") && o.maxTurns == 0 || o.given("max-tokens") && o.maxTokens == 0 || o.given("deadline") && o.deadline == 0 ||
		o.deadline%time.Second != 0 || o.deadline < 0 || o.maxTurns < 0 || o.maxTokens < 0 {
		return engine.Errorf(engine.ConfigInvalid, "budgets are whole and above zero: --max-turns 20, --max-tokens 500000, --deadline 10m")
	}
	if o.maxCost != "" {
		if r, ok := new(big.Rat).SetString(o.maxCost); !ok || r.Sign() <= 0 || strings.ContainsAny(o.maxCost, "/eE") {
			return engine.Errorf(engine.ConfigInvalid, "--max-cost takes US dollars as a decimal, as in 0.50, not %q", o.maxCost)
		}
	}
	if err := o.checkLang(); err != nil {
		return err
	}
	return o.checkExpiry()
}

// maxExpiry bounds how long a question to a person may stay open.
const maxExpiry = time.Hour

func (o *options) checkExpiry() error {
	if o.given("approval-expiry") && (o.expiry <= 0 || o.expiry > maxExpiry) {
		return engine.Errorf(engine.ConfigInvalid, "--approval-expiry is above zero and at most 1h, as in 90s or 5m, not %s", o.expiry)
	}
	return nil
}

func (o *options) stateRoot() (string, error) {
	dir := o.state
	if dir == "" {
		dir = os.Getenv("AGENT_STUDIO_STATE")
	}
	if dir != "" {
		return filepath.Abs(dir)
	}
	// Without a home folder the system's default would be the root of the file system, or here.
	if home, err := os.UserHomeDir(); (err != nil || !filepath.IsAbs(home)) && !filepath.IsAbs(os.Getenv("XDG_STATE_HOME")) {
		if o.noSave {
			return "", nil
		}
		return "", engine.Errorf(engine.StateUnusable, "there is no home folder to keep sessions in; choose a folder with --state, or use --no-save to keep the session in memory only")
	}
	return filepath.Join(xdg.StateHome, "agentstudio"), nil
}

func (o *options) workspaceAndSkills(ctx context.Context, state string) (*workspace.Workspace, engine.Catalog, error) {
	home, _ := os.UserHomeDir()
	here, err := os.Getwd()
	if err != nil {
		return nil, engine.Catalog{}, &engine.Error{Code: engine.ReadFailed, Message: "the current folder cannot be read; change to another one", Err: err}
	}
	project := here
	if o.workspace != "" {
		project = o.workspace
	}
	catalog, roots := skillset.Load(ctx, skillset.Options{Project: project, Start: here, Home: home, Extra: o.skills,
		Environment: os.Getenv("AGENT_SKILLS_DIRS"), StateDir: state, User: o.userSkills, Bundled: skills.FS()})
	if o.workspace != "" {
		roots = append([]workspace.Root{{Dir: o.workspace}}, roots...)
	}
	space, err := workspace.Open(workspace.Options{Home: home, StateDir: state}, roots...)
	return space, catalog, err
}

func (o *options) shownWorkspace() string {
	if o.workspace == "" {
		return ""
	}
	home, _ := os.UserHomeDir()
	abs, err := filepath.Abs(o.workspace)
	if err != nil {
		abs = o.workspace
	}
	return workspace.Display(home, abs)
}

func firstOf(d ...time.Duration) time.Duration {
	for _, x := range d {
		if x > 0 {
			return x
		}
	}
	return 0
}
