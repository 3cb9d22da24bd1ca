// ---- settings: language, size, colours, sound, and the comparison with the server

function applyLook() {
  document.documentElement.dataset.theme = prefs.theme;
  document.documentElement.dataset.size = prefs.size;
}

// choice is a row of radio buttons for one preference.
function choice(name, key, options, after) {
  const box = make("fieldset", "", make("legend", "", t(key)));
  for (const [value, label] of options) {
    const input = make("input");
    Object.assign(input, { type: "radio", name, value: String(value), checked: prefs[name] === value });
    input.addEventListener("change", () => {
      prefer({ [name]: value });
      after();
    });
    box.append(make("label", "", input, label));
  }
  return box;
}

// toggle is a check box for one preference.
function toggle(name, key, after) {
  const input = make("input");
  Object.assign(input, { type: "checkbox", checked: Boolean(prefs[name]) });
  input.addEventListener("change", async () => {
    prefer({ [name]: input.checked });
    await after();
    input.checked = Boolean(prefs[name]);
  });
  return make("label", "", input, t(key));
}

// lacking stands in the place of what this browser cannot do.
const lacking = (key) => make("p", "quiet", t(key));

// noNotify is why there are no notifications here, "" where there are.
function noNotify() {
  if (!isSecureContext) return "page.notifySecure";
  if (!("Notification" in window)) return "page.noNotify";
  return matchMedia("(pointer: fine)").matches ? "" : "page.notifyPhone";
}

async function askNotify() {
  if (prefs.notify && (await Notification.requestPermission()) !== "granted") prefer({ notify: false });
}

function fillSettings() {
  const rows = [
    choice("lang", "page.lang", [["", t("page.auto")], ["en", "English"], ["zh", "中文"]], async () => {
      await loadWords(preferredLang());
      wordAgain();
      fillSettings();
    }),
    choice("size", "page.size", [[0, "A"], [1, "A+"], [2, "A++"], [3, "A+++"]], applyLook),
    choice("theme", "page.theme", [["", t("page.auto")], ["dark", t("page.dark")], ["light", t("page.light")], ["contrast", t("page.contrast")]], applyLook),
    canSound || canVibrate ? toggle("sound", "page.sound", () => prefs.sound && beep()) : lacking("page.noSound"),
    "wakeLock" in navigator ? toggle("awake", "page.awake", stayAwake) : lacking("page.noAwake"),
    noNotify() ? lacking(noNotify()) : toggle("notify", "page.notify", askNotify),
  ];
  $("dialog-rows").replaceChildren(...rows);
}

// wordAgain says everything that is shown in the language that was chosen.
function wordAgain() {
  stopTwice.word();
  leaveTwice.word();
  for (const list of Object.values(lists)) for (const e of elements(list)) dirty(list, e);
  showWho();
  showFiles();
  wordTabs();
  showReceipt();
  showLink();
  showCard();
}

function startSettings() {
  $("settings").addEventListener("click", () => {
    fillSettings();
    say($("hash"), "");
    $("dialog").showModal();
  });
  $("hash-ask").addEventListener("click", askHash);
}

// askHash asks for the server's hash of what it holds now. The answer comes in its place among the
// patches, by whichever way they come.
async function askHash() {
  if (!ready()) return say($("hash"), t("page.notLive"));
  if (link.way.kind === "socket") return link.way.tell({ type: "hash", id: uid() });
  const answer = await fetch("/api/hash", { method: "POST", headers: { ...bearer(), "Content-Type": "application/json" }, body: JSON.stringify({ id: uid() }) }).catch(() => null);
  if (!answer) return say($("hash"), t("page.notLive"));
  if (answer.ok) return;
  const m = await answer.json();
  say($("hash"), fault(m.error.code, m.error.message));
}

// compared shows the page's hash beside the server's. Share levels differ, so the level is said.
function compared(m) {
  const page = digestOfRows();
  const args = { page, server: m.hash, seq: m.sequence, share: m.share };
  say($("hash"), t(page === m.hash ? "page.same" : "page.differs", args));
}
