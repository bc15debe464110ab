/** combo-words.js: the banners' texts in six languages. They are whole sentences, because the order of words differs. */

/**
 * One entry per language. `{gift}`, `{sender}`, `{receiver}`, `{count}` and `{others}` are filled in. `sends` and `sendsTo` are
 * shown below the sender's name; `told`, `toldTo` and `more` are for screen readers.
 */
export const WORDS = Object.freeze({
  en: {
    dir: "ltr",
    label: "Gift banners",
    sends: "sends {gift}",
    sendsTo: "sends {gift} to {receiver}",
    told: "{sender} sent {gift}, × {count}.",
    toldTo: "{sender} sent {gift} to {receiver}, × {count}.",
    more: "More combos: {others}.",
  },
  zh: {
    dir: "ltr",
    label: "礼物横幅",
    sends: "送出 {gift}",
    sendsTo: "向 {receiver} 送出 {gift}",
    told: "{sender} 送出 {gift}，共 {count} 个。",
    toldTo: "{sender} 向 {receiver} 送出 {gift}，共 {count} 个。",
    more: "另有 {others} 组连击。",
  },
  ja: {
    dir: "ltr",
    label: "ギフトのバナー",
    sends: "{gift} を贈りました",
    sendsTo: "{receiver} さんへ {gift}",
    told: "{sender} さんが {gift} を {count} 個贈りました。",
    toldTo: "{sender} さんが {receiver} さんに {gift} を {count} 個贈りました。",
    more: "ほかのコンボ: {others} 件。",
  },
  ko: {
    dir: "ltr",
    label: "선물 배너",
    sends: "{gift} 선물",
    sendsTo: "{receiver}님에게 {gift} 선물",
    told: "{sender}님이 보낸 선물: {gift} {count}개.",
    toldTo: "{sender}님이 {receiver}님에게 보낸 선물: {gift} {count}개.",
    more: "다른 콤보: {others}개.",
  },
  pt: {
    dir: "ltr",
    label: "Faixas de presentes",
    sends: "envia {gift}",
    sendsTo: "envia {gift} para {receiver}",
    told: "{sender} enviou {gift}, × {count}.",
    toldTo: "{sender} enviou {gift} para {receiver}, × {count}.",
    more: "Outros combos: {others}.",
  },
  ar: {
    dir: "rtl",
    label: "لافتات الهدايا",
    sends: "هدية: {gift}",
    sendsTo: "هدية إلى {receiver}: {gift}",
    told: "هدية من {sender}: {gift}، العدد {count}.",
    toldTo: "هدية من {sender} إلى {receiver}: {gift}، العدد {count}.",
    more: "مجموعات أخرى: {others}.",
  },
});

/**
 * The language to use: the wanted one (`"pt-BR"` counts as `"pt"`), else the browser's first that is available, else English.
 * @param {string | null | undefined} wish
 * @param {readonly string[]} browser
 */
export function languageOf(wish, browser = globalThis.navigator?.languages ?? []) {
  for (const one of [wish, ...browser]) {
    const primary = typeof one === "string" ? one.toLowerCase().split(/[-_]/)[0] : "";
    if (Object.hasOwn(WORDS, primary)) return primary;
  }
  return "en";
}

/** Fills in the places of a sentence. A place without a value stays empty. */
export function fill(sentence, values = {}) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** Splits a sentence into texts and places, the latter as `{ name }`. */
export function parts(sentence) {
  return sentence.split(/(\{\w+\})/).filter((one) => one !== "").map((one) => (/^\{\w+\}$/.test(one) ? { name: one.slice(1, -1) } : one));
}
