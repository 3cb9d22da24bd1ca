package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
	"agentstudio/engine/words"
)

// runCommand sends one message without a screen.
func (o *options) runCommand() *cobra.Command {
	var approve string
	var asJSON bool
	var attach []string
	c := &cobra.Command{
		Use:   "run [PROMPT]",
		Short: "Send one message without a screen",
		Long: `run sends one message and prints the answer; - reads the message from standard input.
Diagnostics and tool calls go to standard error. With --json every event is printed, one a line.

A file for --approve lists decisions, the first that fits counts and what it doesn't name is denied:
  - {tool: save_report_draft, decision: approve}
  - {tool: other_tool, decision: deny, reason: not today}`,
		Example: `  agentstudio run --approve always "Use the ads-analysis skill on demo-account"
  echo "…" | agentstudio run --approve never --json -
  agentstudio run --resume last --approve approvals.yaml "And now?"
  agentstudio run --attach creative.png --attach landing-page.jpg "Which one reads better?"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return o.runOnce(c.Context(), args, attach, approve, asJSON)
		},
	}
	f := c.Flags()
	f.StringVar(&approve, "approve", "ask", "who decides: ask, always, never, or a YAML file of {tool, decision}")
	f.StringArrayVar(&attach, "attach", nil, "send this JPEG, PNG or WebP file with the message; may be given up to four times")
	f.BoolVar(&asJSON, "json", false, "print every event as it comes, one a line")
	f.StringVar(&o.resume, "resume", "", "send to the session with this id; last for the newest")
	f.BoolVar(&o.pace, "pace", false, "let a scripted model speak at its own pace")
	return c
}

func (o *options) runOnce(ctx context.Context, args, attach []string, approve string, asJSON bool) error {
	prompt := ""
	if len(args) > 0 || len(attach) == 0 {
		var err error
		if prompt, err = o.prompt(args); err != nil {
			return err
		}
	}
	judge, err := o.approver(approve)
	if err != nil {
		return err
	}
	defer judge.close()
	s, err := o.assemble(ctx)
	debug.SetGCPercent(100) // nobody waits for a picture here, and an answer may be long
	if err != nil {
		return err
	}
	defer s.close()
	if s.news != "" {
		fmt.Fprintln(o.std.err, safe.Text(s.news, safe.Prose))
	}
	out := &teller{std: o.std, json: asJSON, lang: s.lang, after: s.session.Opened()}
	ids, err := s.attachAll(ctx, o.files(), attach, judge.actor)
	var receipt engine.Receipt
	if err == nil {
		receipt, err = s.session.Do(ctx, engine.Send{Text: prompt, Attachments: ids, By: judge.actor})
	}
	if err != nil {
		s.detachAll(ids, judge.actor)
		if len(attach) > 0 {
			if failed := s.tellAll(out); failed != nil {
				return failed
			}
		}
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		_, _ = s.session.Do(context.Background(), signalled(ctx, "cli"))
	})
	defer stop()
	return follow(s, receipt.Run, judge, out)
}

// signalled is the cancelling that the end of the command's context asks for: ^C is a person's,
// any other signal ends the program.
func signalled(ctx context.Context, screen string) engine.Cancel {
	person := strings.HasPrefix(fmt.Sprint(context.Cause(ctx)), os.Interrupt.String())
	return engine.Cancel{By: engine.Actor{Screen: screen, Name: "signal"}, Shutdown: !person}
}

// follow tells every event of the session until the run's last one, and decides on the way. It
// outlives the command's context, since a cancelled run has an end to be told as well.
func follow(s *studio, run engine.RunID, judge *approver, out *teller) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	refused := engine.Code("")
	for batch, err := range s.session.Follow(ctx, 0) {
		if err != nil {
			return err
		}
		for _, e := range batch {
			if err := out.tell(e); err != nil {
				return err
			}
			if e.Run != run {
				continue
			}
			switch p := e.Payload.(type) {
			case engine.ApprovalRequired:
				judge.decide(ctx, s.session, p)
			case engine.ApprovalResolved:
				judge.resolved()
				refused = refusal(p.Status, refused)
			case engine.RunCompleted, engine.RunFailed, engine.RunCancelledEvent:
				return out.end(p, refused)
			}
		}
	}
	return engine.Errorf(engine.Internal, "the session ended before its run did")
}

func refusal(s engine.ApprovalStatus, before engine.Code) engine.Code {
	switch s {
	case engine.Denied:
		return engine.ApprovalDenied
	case engine.Expired:
		return engine.ApprovalExpired
	}
	return before
}

func (o *options) prompt(args []string) (string, error) {
	if len(args) == 0 {
		return "", engine.Errorf(engine.EmptyMessage, "run needs a message: agentstudio run \"…\", or - to read it from standard input")
	}
	if args[0] != "-" {
		return args[0], nil
	}
	const most = 256 << 10
	b, err := io.ReadAll(io.LimitReader(o.std.in, most+1))
	if err != nil {
		return "", &engine.Error{Code: engine.ReadFailed, Message: "standard input could not be read", Err: err}
	}
	return strings.TrimRight(string(b), "\n"), nil
}

// teller prints what happens: every event as JSON, or the answer on standard output and the rest
// on standard error.
type teller struct {
	std   stdio
	json  bool
	lang  words.Lang
	after engine.Seq // what came before is not told again
	prose prose
	state view.State
}

func (t *teller) tell(e engine.Event) error {
	if e.Seq <= t.after {
		_, err := t.state.Apply(e)
		return err
	}
	if t.json {
		b, err := e.Public().AppendJSON(nil)
		if err == nil {
			_, err = t.std.out.Write(append(b, '\n'))
		}
		return err
	}
	patch, err := t.state.Apply(e)
	if err != nil {
		return err
	}
	switch p := e.Payload.(type) {
	case engine.AssistantDelta:
		_, err = io.WriteString(t.std.out, string(t.prose.append(p.Delta)))
	case engine.AssistantCompleted:
		end := string(t.prose.close())
		if p.TextBytes > 0 {
			end += "\n"
		}
		_, err = io.WriteString(t.std.out, end)
	default:
		for _, r := range patch.Timeline {
			if caption := words.Caption(t.lang, r.Kind, r.Args); caption != "" && r.Tone != view.Quiet {
				fmt.Fprintf(t.std.err, "%4d %s\n", r.Seq, safe.Text(caption, safe.Inline))
			}
		}
	}
	return err
}

// end turns the run's last event into the command's error. With --json everything has been told.
func (t *teller) end(p engine.Payload, refused engine.Code) error {
	var err *engine.Error
	switch p := p.(type) {
	case engine.RunFailed:
		err = engine.Errorf(p.Code, "%s", p.Message)
		return t.told(err, exitFailed)
	case engine.RunCancelledEvent:
		return t.told(engine.Errorf(engine.RunCancelled, "the run was cancelled"), exitCancelled)
	}
	if refused != "" {
		return t.told(engine.Errorf(refused, "an approval was not given, so not everything was done"), exitDenied)
	}
	return nil
}

func (t *teller) told(err *engine.Error, status int) error {
	if !t.json {
		fmt.Fprintln(t.std.err, "agentstudio: "+string(safe.Text(explained(t.lang, err), safe.Prose)))
	}
	return silent{status}
}
