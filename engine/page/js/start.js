// ---- start

let stopTwice;
let leaveTwice;

// inApp are browsers inside other programs, in which files, sound and waking do not work as they should.
const inApp = /MicroMessenger|QQ\/|WeiBo|DingTalk|AliApp|Lark|Feishu|FBAN|FBAV|Instagram|Line\/|; wv\)/i;

async function begin() {
  const code = codeInAddress();
  applyLook();
  for (;;) {
    try {
      await loadWords(preferredLang());
      break;
    } catch {
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
  stopTwice = twice($("stop"), "page.stop", "page.stopSure", stopRun);
  leaveTwice = twice($("leave"), "page.leave", "page.leaveSure", leave);
  stopTwice.word();
  leaveTwice.word();
  $("inapp").hidden = !inApp.test(navigator.userAgent);
  for (const go of [startTabs, startCard, startUpload, startSettings, startDoor, startLink]) go();
  $("say").addEventListener("submit", (s) => {
    s.preventDefault();
    sendMessage($("send").value);
  });
  $("steer").addEventListener("click", () => sendMessage("steer"));
  $("message").addEventListener("keydown", (k) => {
    if (k.key !== "Enter" || k.shiftKey || k.isComposing) return;
    k.preventDefault();
    sendMessage($("send").value);
  });
  document.addEventListener("visibilitychange", stayAwake);
  addEventListener("pointerdown", stayAwake, { once: true });
  $("code").value = code;
  const own = kept.get("token");
  me.token = (own && own.token) || "";
  if (me.token && !code) connect();
  else showDoor();
}

begin();
