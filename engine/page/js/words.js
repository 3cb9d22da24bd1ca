// ---- words: every sentence comes by key from the server's catalogue

const words = { lang: "en", texts: {} };

function preferredLang() {
  for (const l of [prefs.lang, ...(navigator.languages || [])]) {
    const code = (l || "").slice(0, 2).toLowerCase();
    if (code === "en" || code === "zh") return code;
  }
  return "en";
}

async function loadWords(lang) {
  const answer = await fetch("/words/" + lang + ".json");
  if (!answer.ok) throw new Error("no words");
  words.texts = await answer.json();
  words.lang = lang;
  document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
  for (const e of document.querySelectorAll("[data-w]")) say(e, t(e.dataset.w));
}

const has = (key) => Object.hasOwn(words.texts, key);

// t is the text of a key; an unknown key is shown as itself.
function t(key, args) {
  return has(key) ? fill(words.texts[key], args || {}) : key;
}

// fill does what words.Text does in the terminal: {name}, {name|one|many}, and [a part] that is left
// out when one of its names has no value. Values are never read as templates.
function fill(text, args) {
  let out = "";
  while (text) {
    const open = text.search(/[{[]/);
    if (open < 0) return out + text;
    out += text.slice(0, open);
    const shut = text.indexOf(text[open] === "{" ? "}" : "]", open);
    if (shut < 0) return out + text.slice(open);
    const inner = text.slice(open + 1, shut);
    if (text[open] === "{") out += counted(inner, args);
    else if (complete(inner, args)) out += fill(inner, args);
    text = text.slice(shut + 1);
  }
  return out;
}

function counted(inner, args) {
  const [name, one, many] = inner.split("|");
  const value = String(args[name] ?? "");
  if (one === undefined) return value;
  return value === "1" ? "1 " + one : value + " " + (many ?? "");
}

function complete(inner, args) {
  return [...inner.matchAll(/{([^}|]*)/g)].every((m) => (args[m[1]] ?? "") !== "");
}

// known is the text of prefix and value if there is one, else value.
const known = (prefix, value) => (value && has(prefix + value) ? t(prefix + value) : value || "");

const who = (by) => known("who.", by && by.name);

// caption says in a few words what an event is.
function caption(kind, args, count) {
  if (!has("event." + kind)) return kind;
  const own = { ...args };
  if (count) own.count = String(count);
  for (const name of ["status", "verdict", "which", "what", "cut", "delivery"]) own[name] = known("word.", own[name]);
  own.why = known("why.", own.why);
  own.by = known("who.", own.by);
  if (args && args.verdict === "allow") own.verdict = "";
  if (args && args.delivery === "prompt") own.delivery = "";
  return t("event." + kind, own);
}

// fault is a refusal in the language of the page.
function fault(code, message) {
  return (words.lang !== "en" || !message) && has("code." + code) ? t("code." + code) : message || code;
}

const two = (n) => String(n).padStart(2, "0");

// timeOf is the time of day here; both languages write it alike, and a formatter takes long to load.
function timeOf(at) {
  if (!at) return "";
  const d = new Date(at);
  return [d.getHours(), d.getMinutes(), d.getSeconds()].map(two).join(":");
}

function sizeOf(bytes) {
  if (bytes < 1024) return bytes + " B";
  if (bytes < 1 << 20) return (bytes / 1024).toFixed(1) + " KiB";
  return (bytes / (1 << 20)).toFixed(1) + " MiB";
}

function minutes(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  return Math.floor(s / 60) + ":" + two(s % 60);
}
