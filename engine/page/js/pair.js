// ---- pairing: a code, a name, and four digits for who wants to approve

let leaving = false;
let pairing = 0; // counts up, so that an answer to an old try is ignored

// codeInAddress takes the code out of the address at once: it is in no history and on no screen.
function codeInAddress() {
  const m = /^#p=([0-9A-Za-z -]{1,16})$/.exec(location.hash);
  if (!location.hash.startsWith("#p=")) return "";
  history.replaceState(null, "", location.pathname);
  return m ? m[1] : "";
}

function showDoor(why) {
  $("door").hidden = false;
  $("room").hidden = $("foot").hidden = $("skip").hidden = true;
  $("door-form").hidden = false;
  $("digits-box").hidden = true;
  $("banner").hidden = true;
  say($("door-error"), "");
  $("door-why").hidden = !why;
  say($("door-why"), why ? t(why) : "");
  if (!$("name").value) $("name").value = prefs.name || deviceName();
  $("name").onfocus = (e) => e.target.select(); // what is typed takes its place
  ($("code").value ? $("name") : $("code")).focus();
}

function deviceName() {
  for (const [mark, name] of [[/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android/, "Android"], [/Mac/, "Mac"], [/Windows/, "Windows"]]) {
    if (mark.test(navigator.userAgent)) return name;
  }
  return t("page.screen");
}

function showRoom() {
  $("door").hidden = true;
  $("room").hidden = $("foot").hidden = $("skip").hidden = false;
  $("photo-box").hidden = !mayUpload();
  showWho();
  wordTabs();
  showFiles();
}

async function ask(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  return { status: answer.status, m: await answer.json() };
}

// join redeems a code: at once for a viewer, by way of the terminal for an approver.
async function join(code, name) {
  const own = ++pairing;
  say($("door-error"), "");
  prefer({ name });
  let { status, m } = await ask("/api/pair", { code, name });
  while (status === 202 && own === pairing) {
    showDigits(m);
    try {
      ({ status, m } = await ask("/api/pair/wait", { request: m.request }));
    } catch {
      await new Promise((done) => setTimeout(done, 1000)); // the same question may be asked again
    }
  }
  if (own !== pairing) return;
  clearInterval(digitsTimer);
  if (status !== 200) throw Object.assign(new Error(m.error.code), { shown: fault(m.error.code, m.error.message) });
  me.token = m.token;
  kept.set("token", { token: m.token, server: m.server });
  $("code").value = "";
  link.after = 0;
  reset();
  connect();
}

let digitsTimer = 0;

function showDigits(m) {
  $("door-form").hidden = true;
  $("digits-box").hidden = false;
  say($("digits"), m.digits);
  $("digits").setAttribute("aria-label", [...m.digits].join(" "));
  clock.set(m.now);
  clearInterval(digitsTimer);
  const tell = () => say($("digits-left"), t("page.digitsLeft", { time: minutes(Date.parse(m.expiresAt) - clock.now()) }));
  digitsTimer = setInterval(tell, 1000);
  tell();
}

async function leave() {
  leaving = true;
  if (link.way && link.way.kind === "socket" && link.way.open()) return link.way.tell({ type: "leave" });
  try {
    await fetch("/api/leave", { method: "POST", headers: bearer() });
  } finally {
    drop();
    letGo(4403);
  }
}

function startDoor() {
  $("door-form").addEventListener("submit", async (s) => {
    s.preventDefault();
    const button = $("door-form").querySelector("button");
    button.disabled = true;
    try {
      await join($("code").value.trim(), $("name").value.trim());
    } catch (e) {
      showDoor();
      say($("door-error"), e.shown || t("page.noServer"));
    }
    button.disabled = false;
  });
  $("digits-stop").addEventListener("click", () => {
    pairing++;
    clearInterval(digitsTimer);
    showDoor();
  });
}
