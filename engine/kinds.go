package engine

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// kinds is the wire name of every payload, in the order of the documentation.
func kinds() []kindRow {
	return []kindRow{
		kind[SessionStarted]("session.started"), kind[SessionResumed]("session.resumed"),
		kind[SessionClosed]("session.closed"), kind[SessionRenamed]("session.renamed"),
		kind[CatalogLoaded]("catalog.loaded"), kind[SettingsChanged]("settings.changed"),
		kind[JournalDamage]("journal.damaged"), kind[JournalRepaired]("journal.repaired"),
		kind[ModelConfigured]("model.configured"), kind[ModelCleared]("model.cleared"),
		kind[UserMessage]("user.message"), kind[UserDelivered]("user.delivered"), kind[UserWithdrawn]("user.withdrawn"),
		kind[RunStarted]("run.started"), kind[PromptChanged]("prompt.changed"),
		kind[TurnStarted]("turn.started"), kind[ModelRetrying]("model.retrying"),
		kind[AssistantStarted]("assistant.started"), kind[AssistantDelta]("assistant.delta"),
		kind[ReasoningDelta]("reasoning.delta"), kind[AssistantCompleted]("assistant.completed"),
		kind[TurnCompleted]("turn.completed"),
		kind[ToolRequested]("tool.requested"), kind[ToolDenied]("tool.denied"), kind[ToolStarted]("tool.started"),
		kind[ToolCompleted]("tool.completed"), kind[ToolFailed]("tool.failed"),
		kind[SkillRequested]("skill.requested"), kind[SkillLoaded]("skill.loaded"),
		kind[ApprovalRequired]("approval.required"), kind[ApprovalExtended]("approval.extended"),
		kind[ApprovalResolved]("approval.resolved"),
		kind[AttachmentAdded]("attachment.added"), kind[AttachmentRemoved]("attachment.removed"),
		kind[AttachmentRejected]("attachment.rejected"),
		kind[ArtifactReady]("artifact.ready"), kind[GateWaiting]("gate.waiting"), kind[GateReleased]("gate.released"),
		kind[MirrorDevice]("mirror.device"),
		kind[CompactionStarted]("compaction.started"), kind[CompactionCompleted]("compaction.completed"),
		kind[CompactionFailed]("compaction.failed"),
		kind[Notice]("notice"), kind[BudgetWarned]("budget.warned"),
		kind[RunCompleted]("run.completed"), kind[RunFailed]("run.failed"), kind[RunCancelledEvent]("run.cancelled"),
	}
}

type kindRow struct {
	name string
	typ  reflect.Type
	read func(json.RawMessage) (Payload, error)
}

func kind[T Payload](name string) kindRow {
	return kindRow{name, reflect.TypeFor[T](), func(raw json.RawMessage) (Payload, error) {
		var p T
		err := json.Unmarshal(raw, &p)
		return p, err
	}}
}

// readers and names are the kinds table by name and by type; never changed.
var (
	readers = func() map[string]func(json.RawMessage) (Payload, error) {
		m := map[string]func(json.RawMessage) (Payload, error){}
		for _, k := range kinds() {
			m[k.name] = k.read
		}
		return m
	}()
	names = func() map[reflect.Type]string {
		m := map[reflect.Type]string{}
		for _, k := range kinds() {
			m[k.typ] = k.name
		}
		return m
	}()
)

// KindOf is the wire name of a payload.
func KindOf(p Payload) string {
	switch p := p.(type) {
	case AssistantDelta:
		return "assistant.delta"
	case Unknown:
		return p.Type
	}
	return names[reflect.TypeOf(p)]
}

// Kinds lists every wire name there is, sorted.
func Kinds() []string { return slices.Sorted(maps.Keys(readers)) }

// Terminal tells whether p ends a run.
func Terminal(p Payload) bool {
	switch p.(type) {
	case RunCompleted, RunFailed, RunCancelledEvent:
		return true
	}
	return false
}

// durable tells whether p must survive a power loss before it is shown.
func durable(p Payload) bool {
	switch p := p.(type) {
	case UserMessage, UserWithdrawn, AttachmentAdded, ApprovalRequired, ApprovalResolved, ToolStarted, ArtifactReady,
		RunCompleted, RunFailed, RunCancelledEvent, SessionResumed, JournalRepaired:
		return true
	case ToolCompleted:
		return p.Repeats == 0
	case ToolFailed:
		return true
	}
	return false
}
