// ---- upload: photos, by choosing, dropping or pasting

const tooLarge = new Set(["IMAGE_TOO_LARGE", "IMAGE_TOO_MANY_PIXELS", "REQUEST_TOO_LARGE"]);
const mostBytes = 32 << 20; // what the route takes
const longest = 4096; // of a photo that is made smaller, in pixels
const photos = ["image/jpeg", "image/png", "image/webp"];

const mayUpload = () => mayDecide() && me.uploads;

function take(files) {
  if (!mayUpload()) return;
  for (const f of files) if (f.type.startsWith("image/")) start(f, nameOf(f));
}

// nameOf is a file's name without control characters, which browsers would put into a header as they are.
const nameOf = (f) => f.name.replace(/\p{Cc}/gu, "") || "photo";

const waiting = new Map(); // this device's pictures that go with its next message, by id
let uploading = 0;

// showTray lets go of what was sent or removed, and shows what waited before this page was opened.
function showTray() {
  const all = held.attachments || [];
  const mine = all.filter((a) => a.by && a.by.deviceId === me.device && !a.messageId);
  for (const [id, up] of waiting) {
    up.seen ||= all.some((a) => a.attachmentId === id);
    if (up.seen && !mine.some((a) => a.attachmentId === id)) forget(up, id);
  }
  if (uploading || !mayUpload()) return;
  for (const a of mine) if (!waiting.has(a.attachmentId)) accepted(entry(null, a.name), a);
}

function forget(up, id) {
  up.e.remove();
  waiting.delete(id);
}

async function takeBack(up, id) {
  const m = await order({ type: "remove", attachmentId: id });
  if (m.ok) forget(up, id);
  else say(up.state, fault(m.code, m.message));
}

// entry is a file's place in the tray.
function entry(file, name) {
  const up = { file, name, id: uid(), e: make("li"), state: make("span", "state"), bar: make("progress"), buttons: make("span", "pair") };
  up.bar.max = 1;
  up.bar.value = 0;
  up.bar.setAttribute("aria-label", name);
  up.e.append(make("b", "", name), up.bar, up.state, up.buttons);
  $("tray").append(up.e);
  return up;
}

// start shows a file in the tray and sends it.
function start(file, name) {
  const up = entry(file, name);
  if (!photos.includes(file.type)) refused(up, "", t("page.photoKind"));
  else if (file.size > mostBytes) refused(up, "REQUEST_TOO_LARGE", "");
  else send(up);
}

function send(up) {
  const x = (up.x = new XMLHttpRequest());
  const body = new FormData();
  body.append("file", up.file, up.name);
  x.open("POST", "/api/attachments");
  x.setRequestHeader("Authorization", "Bearer " + me.token);
  x.setRequestHeader("X-Client-Id", up.id);
  x.setRequestHeader("X-Session-Id", link.session);
  x.responseType = "json";
  x.upload.onprogress = (p) => {
    up.bar.value = p.lengthComputable ? p.loaded / p.total : 0;
    say(up.state, p.loaded < p.total ? Math.floor((100 * p.loaded) / p.total) + " %" : t("page.checking"));
  };
  x.onload = () => {
    const m = x.response || {};
    if (x.status === 200 && m.attachment) accepted(up, m.attachment);
    else refused(up, m.error ? m.error.code : "INTERNAL", m.error && m.error.message);
  };
  x.onerror = () => refused(up, "", t("page.uploadCut"));
  x.onloadend = () => {
    uploading--;
    showTray();
  };
  uploading++;
  up.bar.hidden = false;
  say(up.state, t("page.sending"));
  offer(up, ["page.cancel", () => { x.abort(); up.e.remove(); }]);
  x.send(body);
}

// offer puts buttons beside an upload.
function offer(up, ...all) {
  up.buttons.replaceChildren(...all.map(([key, act]) => {
    const b = make("button", "", t(key));
    b.type = "button";
    b.addEventListener("click", act);
    return b;
  }));
}

function refused(up, code, message) {
  up.bar.hidden = true;
  say(up.state, code ? fault(code, message) : message);
  up.state.classList.add("wrong");
  announce(up.name + ": " + up.state.textContent);
  const dismiss = ["page.dismiss", () => up.e.remove()];
  const again = ["page.retry", () => { up.state.classList.remove("wrong"); if (code) up.id = uid(); send(up); }];
  if (tooLarge.has(code) && !up.smaller) offer(up, ["page.smaller", () => smaller(up)], dismiss);
  else if (!code && photos.includes(up.file.type) || code === "RATE_LIMITED") offer(up, again, dismiss);
  else offer(up, dismiss);
}

// smaller draws the photo anew with at most 4,096 pixels on its long side, as JPEG.
async function smaller(up) {
  up.state.classList.remove("wrong");
  say(up.state, t("page.shrinking"));
  up.smaller = true;
  try {
    const picture = await createImageBitmap(up.file);
    const scale = Math.min(1, longest / Math.max(picture.width, picture.height));
    const canvas = make("canvas");
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.85));
    if (!blob) throw new Error("no picture");
    up.file = new File([blob], up.name.replace(/\.\w+$/, "") + ".jpg", { type: "image/jpeg" });
    up.name = up.file.name;
    up.id = uid();
    send(up);
  } catch {
    refused(up, "", t("page.shrinkFailed"));
  }
}

async function accepted(up, a) {
  up.bar.hidden = true;
  say(up.state, t("page.uploaded", { size: sizeOf(a.bytes), width: a.width, height: a.height }));
  announce(up.name + ": " + up.state.textContent);
  waiting.set(a.attachmentId, up);
  const gone = mayOperate() ? [] : [["page.dismiss", () => up.e.remove()]]; // an operator sees what goes along
  offer(up, ["page.remove", () => takeBack(up, a.attachmentId)], ...gone);
  const url = await blobOf("/api/attachments/" + encodeURIComponent(a.attachmentId));
  if (!url) return;
  const img = make("img");
  img.alt = a.name;
  img.src = url;
  up.e.prepend(img);
}

// blobOf fetches with the bearer and gives an address that only this page has, "" if it can't be had.
async function blobOf(path) {
  try {
    const answer = await fetch(path, { headers: bearer(), cache: "no-store" });
    return answer.ok ? URL.createObjectURL(await answer.blob()) : "";
  } catch {
    return "";
  }
}

function startUpload() {
  $("photo").addEventListener("change", () => {
    take($("photo").files);
    $("photo").value = "";
  });
  addEventListener("dragover", (d) => d.preventDefault());
  addEventListener("drop", (d) => {
    d.preventDefault();
    take(d.dataTransfer.files);
  });
  addEventListener("paste", (p) => take(p.clipboardData.files));
}
