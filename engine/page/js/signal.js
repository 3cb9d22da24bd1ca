// ---- signals: the title, the live region, sound, notifications; and what a patch changes around rows

const seen = { approvals: [] };

// changed shows what a patch changed beside its rows.
function changed(patch) {
  const fresh = held.approvals.filter((a) => !seen.approvals.some((b) => b.id === a.id));
  const before = seen.approvals;
  seen.approvals = held.approvals;
  if (patch.approvals) {
    closedQuestions(before);
    if (fresh.length) alarm(fresh[0]);
  }
  if (patch.attachments || patch.artifacts || patch.session || !held.session) {
    showFiles();
    showTray();
  }
  showCard();
  wordTabs();
  showStatus();
  if (patch.session) showLink();
}

// told looks at a chat row that came: a finished answer is announced once, while we follow live.
function told(e, was) {
  const r = e.row;
  if (was === undefined && !r.before && !scroll.follow && scroll.pane === "chat") scroll.fresh++;
  if (r.id === shownReceipt || receipts.has(r.id)) showReceipt();
  if (r.kind === "agent" && was === "streaming" && r.state === "complete" && r.text && link.state === "live") {
    announce(t("page.answered", { text: r.text.slice(0, 400) }));
  }
}

// announce speaks through the live region. It is for finished answers, new questions and what became
// of an upload; nothing else.
function announce(text) {
  const e = $("live");
  e.append(make("span", "", text));
  while (e.children.length > 3) e.firstChild.remove();
}

let sound = null;

const canSound = "AudioContext" in window;
const canVibrate = "vibrate" in navigator;

// alarm tells of a new question. A browser that cannot, or will not, must not keep it from being shown.
function alarm(a) {
  announce(t(mayDecide() ? "page.asksYou" : "page.asksOther", { tool: a.tool, summary: riskOf(a) }));
  if (!mayDecide()) return;
  try {
    if (prefs.sound) beep();
    if (prefs.sound && canVibrate) navigator.vibrate([200, 100, 200]);
    if (prefs.notify && document.hidden && !noNotify() && Notification.permission === "granted") {
      new Notification(t("page.title"), { body: t("page.asksYou", { tool: a.tool, summary: riskOf(a) }), tag: a.id });
    }
  } catch {
    // the question stands on the page and in its title
  }
}

// beep needs one press on the page first, which browsers ask for.
function beep() {
  if (!canSound) return;
  sound ||= new AudioContext();
  sound.resume();
  const at = sound.currentTime;
  for (const [i, pitch] of [660, 880].entries()) {
    const tone = sound.createOscillator();
    const loud = sound.createGain();
    tone.frequency.value = pitch;
    loud.gain.setValueAtTime(0.0001, at + i * 0.18);
    loud.gain.exponentialRampToValueAtTime(0.2, at + i * 0.18 + 0.02);
    loud.gain.exponentialRampToValueAtTime(0.0001, at + i * 0.18 + 0.16);
    tone.connect(loud).connect(sound.destination);
    tone.start(at + i * 0.18);
    tone.stop(at + i * 0.18 + 0.17);
  }
}

let wake = null;

async function stayAwake() {
  if (!("wakeLock" in navigator) || document.hidden) return;
  try {
    if (prefs.awake) wake ||= await navigator.wakeLock.request("screen");
    else if (wake) await wake.release();
    if (!prefs.awake) wake = null;
    wake?.addEventListener("release", () => (wake = null));
  } catch {
    // the browser says no, as with a low battery
  }
}

// phaseOf says whom the run waits for.
function phaseOf() {
  const s = held.status;
  if (!s) return "";
  if (s.phase === "waiting") return "▲ " + t(mayDecide() ? "page.waitsYou" : "page.waitsApprover");
  if (s.phase === "idle" && mayOperate()) return t("page.waitsMessage");
  return (s.phase === "running" ? "◐ " : "") + t("phase." + s.phase);
}

function showStatus() {
  const s = held.status;
  const phase = phaseOf();
  $("phase").className = "p-" + (s ? s.phase : "");
  say($("phase"), phase);
  $("stop").hidden = !mayDecide() || !s || (s.phase !== "running" && s.phase !== "waiting");
  $("stop").disabled = !ready();
  document.title = [phase, held.session && held.session.title, t("page.title")].filter(Boolean).join(" · ");
  showComposer();
}

async function stopRun() {
  if (!ready() || !held.status) return;
  const m = await order({ type: "cancel", runId: held.status.run });
  if (!m.ok) announce(fault(m.code, m.message));
}

// showComposer is the field in which an operator writes.
function showComposer() {
  const busy = held.status && (held.status.phase === "running" || held.status.phase === "waiting");
  $("say").hidden = !mayOperate();
  $("steer").hidden = !busy;
  $("send").disabled = $("steer").disabled = !ready();
  $("message").placeholder = t("page.message");
  say($("send"), t(busy ? "page.queue" : "page.send"));
  $("send").value = busy ? "followUp" : "prompt";
}

async function sendMessage(delivery) {
  const text = $("message").value;
  if ((!text.trim() && !waiting.size) || !ready()) return;
  $("send").disabled = $("steer").disabled = true;
  const m = await order({ type: "message", text, delivery });
  if (m.ok && $("message").value === text) $("message").value = "";
  say($("say-note"), m.ok ? "" : fault(m.code, m.message));
  showComposer();
}

function showPresence(m) {
  const others = m.people.filter((p) => p.deviceId !== me.device).map((p) => p.name + " (" + t("role." + p.role) + ")");
  me.watch = [m.viewers ? t("page.watch", { n: m.viewers }) : "", ...others].filter(Boolean).join(" · ");
  showWho();
}

function showWho() {
  $("who").replaceChildren(make("b", "", me.name), " · " + t("role." + me.role), make("span", "others", me.watch ? " — " + me.watch : ""));
}
