/** page-words.js: the texts of the two pages in six languages. A page's language is that of `?lang=`, else the browser's. */

import { WORDS as BANNER_WORDS, fill, languageOf } from "/assets/combo-words.js";

/** The columns of TABLE: English, Chinese, Japanese, Korean, Portuguese, Arabic. */
const LANGUAGES = ["en", "zh", "ja", "ko", "pt", "ar"];
const NAMES = { en: "English", zh: "中文", ja: "日本語", ko: "한국어", pt: "Português", ar: "العربية" };
const TABLE = {
  rooms: ["Rooms", "直播间", "ルーム", "방", "Salas", "الغرف"],
  service: ["Service", "服务", "サービス", "서비스", "Serviço", "الخدمة"],
  pages: ["Pages", "页面", "ページ", "페이지", "Páginas", "الصفحات"],
  language: ["Language", "语言", "言語", "언어", "Idioma", "اللغة"],
  toBanners: ["To the banners", "跳到横幅", "バナーへ移動", "배너로 이동", "Ir para as faixas", "الانتقال إلى اللافتات"],
  toPlots: ["To the plots", "跳到图表", "グラフへ移動", "그래프로 이동", "Ir para os gráficos", "الانتقال إلى الرسوم"],
  roomId: ["Room id", "直播间 ID", "ルーム ID", "방 ID", "ID da sala", "معرّف الغرفة"],
  busiest: ["Busiest rooms", "最活跃的直播间", "最も活発なルーム", "가장 활발한 방", "Salas mais ativas", "الغرف الأكثر نشاطًا"],
  noRoom: ["No room", "未选择直播间", "ルーム未選択", "선택한 방 없음", "Nenhuma sala", "لا غرفة"],
  pick: [
    "Pick a room, or type its id.", "请选择直播间，或输入其 ID。", "ルームを選ぶか、ID を入力してください。", "방을 고르거나 ID를 입력하세요.",
    "Escolha uma sala ou digite o ID.", "اختر غرفة أو اكتب معرّفها."],
  stage: [
    "The room as a viewer sees it", "观众看到的直播间", "視聴者から見たルーム", "시청자가 보는 방", "A sala como o público a vê",
    "الغرفة كما يراها المشاهد"],
  bannersOnScreen: ["Banners on screen", "屏幕上的横幅", "画面上のバナー", "화면의 배너", "Faixas na tela", "اللافتات على الشاشة"],
  facts: ["This room", "此直播间", "このルーム", "이 방", "Esta sala", "هذه الغرفة"],
  onScreen: ["On screen", "屏幕上", "表示中", "표시 중", "Na tela", "على الشاشة"],
  waiting: ["Waiting", "排队中", "待機中", "대기 중", "Na fila", "في الانتظار"],
  giftsASecond: ["Gifts per second", "每秒礼物", "毎秒ギフト", "초당 선물", "Presentes por segundo", "هدايا في الثانية"],
  perSecond: ["gifts/s", "个/秒", "個/秒", "개/초", "por s", "هدية/ث"],
  gifts: ["Gifts", "礼物", "ギフト", "선물", "Presentes", "الهدايا"],
  giftsShown: ["Gifts shown", "已显示礼物", "表示したギフト", "표시된 선물", "Presentes exibidos", "الهدايا المعروضة"],
  epoch: ["Epoch", "Epoch", "Epoch", "Epoch", "Epoch", "Epoch"],
  seq: ["Seq", "Seq", "Seq", "Seq", "Seq", "Seq"],
  gaps: ["Gaps", "缺失", "欠落", "누락", "Lacunas", "فجوات"],
  reconnects: ["Reconnects", "重连次数", "再接続", "재연결", "Reconexões", "إعادات الاتصال"],
  given: ["Who gave what", "送礼记录", "贈られたギフト", "보낸 선물", "Quem deu o quê", "من أهدى ماذا"],
  givenNone: [
    "Finished combos appear here with their totals. The service needs finals turned on.",
    "连击结束后，总数会显示在这里。服务需要启用 finals。", "コンボが終わると合計がここに表示されます。サービスの finals 設定が必要です。",
    "콤보가 끝나면 합계가 여기에 표시됩니다. 서비스에서 finals를 켜야 합니다.",
    "Quando um combo termina, o total aparece aqui. O serviço precisa de finals ativado.",
    "عند انتهاء الكومبو يظهر مجموعه هنا. يجب تفعيل finals في الخدمة."],
  givenTo: ["to {receiver}", "→ {receiver}", "→ {receiver}", "→ {receiver}", "para {receiver}", "إلى {receiver}"],
  log: ["Instructions", "指令", "指示", "명령", "Instruções", "التعليمات"],
  toSlot: ["to slot {slot}", "移到位置 {slot}", "スロット {slot} へ", "슬롯 {slot}(으)로", "para a posição {slot}", "إلى الخانة {slot}"],
  bannerCount: ["banners: {n}", "横幅：{n}", "バナー: {n}", "배너: {n}", "faixas: {n}", "اللافتات: {n}"],
  stateIdle: ["Pick a room", "请选择直播间", "ルームを選択", "방을 고르세요", "Escolha uma sala", "اختر غرفة"],
  stateConnecting: ["Connecting", "正在连接", "接続中", "연결 중", "Conectando", "جارٍ الاتصال"],
  stateLive: ["Live", "直播中", "ライブ", "라이브", "Ao vivo", "مباشر"],
  stateAsleep: ["Asleep", "休眠中", "休止中", "쉬는 중", "Inativa", "ساكنة"],
  stateWaiting: ["Catching up", "正在同步", "同期中", "동기화 중", "Sincronizando", "جارٍ اللحاق"],
  stateBroken: ["Reconnecting", "正在重新连接", "再接続中", "재연결 중", "Reconectando", "جارٍ إعادة الاتصال"],
  stateRefused: ["Not available", "不可用", "利用できません", "사용할 수 없음", "Indisponível", "غير متاحة"],
  stateStopped: ["Stopped", "已停止", "停止", "중지됨", "Parada", "متوقفة"],
  asleep: [
    "This room has had no gifts lately. Banners appear with the next one.", "此直播间近期没有礼物。收到礼物后会显示横幅。",
    "このルームには最近ギフトがありません。届くとバナーが表示されます。", "이 방에는 최근 선물이 없습니다. 선물이 오면 배너가 나타납니다.",
    "Esta sala não recebeu presentes há algum tempo. As faixas aparecem com o próximo.",
    "لم تصل هدايا إلى هذه الغرفة مؤخرًا. ستظهر اللافتات مع الهدية التالية."],
  unreachable: [
    "The service cannot be reached.", "无法连接到服务。", "サービスに接続できません。", "서비스에 연결할 수 없습니다.",
    "Não foi possível contatar o serviço.", "تعذّر الوصول إلى الخدمة."],
  ended: [
    "The connection ended.", "连接已断开。", "接続が切れました。", "연결이 끊겼습니다.", "A conexão terminou.", "انقطع الاتصال."],
  silent: [
    "The service has been silent for {s} s.", "服务已有 {s} 秒没有响应。", "サービスから {s} 秒間応答がありません。",
    "서비스가 {s}초 동안 응답하지 않습니다.", "O serviço não responde há {s} s.", "لم تستجب الخدمة منذ {s} ث."],
  gap: [
    "Some instructions were missed. Waiting for the room's next screen.", "有内容丢失，正在等待下一次完整画面。",
    "一部を受信できませんでした。次の画面を待っています。", "일부를 놓쳤습니다. 다음 화면을 기다리는 중입니다.",
    "Algo se perdeu. Aguardando a próxima tela da sala.", "فات شيء ما. في انتظار الشاشة التالية للغرفة."],
  long: [
    "The service sent an event that is too long.", "服务发送的事件过长。", "サービスから長すぎるイベントが届きました。",
    "서비스가 너무 긴 이벤트를 보냈습니다.", "O serviço enviou um evento longo demais.", "أرسلت الخدمة حدثًا أطول من المسموح."],
  slow: [
    "This page read too slowly and was dropped.", "此页面读取过慢，连接被断开。", "このページの読み取りが遅いため切断されました。",
    "이 페이지가 너무 느려서 연결이 끊겼습니다.", "Esta página leu devagar demais e foi desconectada.",
    "كانت هذه الصفحة بطيئة جدًا ففُصلت."],
  stopping: [
    "The service is stopping.", "服务正在停止。", "サービスが停止しています。", "서비스가 중지되고 있습니다.", "O serviço está parando.",
    "الخدمة في طور التوقف."],
  retry: [
    "Trying again in {s} s.", "{s} 秒后重试。", "{s} 秒後に再試行します。", "{s}초 후 다시 시도합니다.", "Nova tentativa em {s} s.",
    "إعادة المحاولة بعد {s} ث."],
  trying: ["Trying again.", "正在重试。", "再試行しています。", "다시 시도하는 중입니다.", "Tentando de novo.", "تجري إعادة المحاولة."],
  noneAwake: [
    "No room has had gifts lately.", "近期没有直播间收到礼物。", "最近ギフトのあったルームはありません。", "최근 선물을 받은 방이 없습니다.",
    "Nenhuma sala recebeu presentes há algum tempo.", "لم تتلقَّ أي غرفة هدايا مؤخرًا."],
  noneFound: [
    "No such room is awake. Press Enter to open it anyway.", "没有这样的活跃直播间。按 Enter 仍可打开。",
    "該当する稼働中のルームはありません。Enter で開けます。", "해당하는 활성 방이 없습니다. Enter를 누르면 열 수 있습니다.",
    "Nenhuma sala ativa com esse ID. Pressione Enter para abri-la assim mesmo.",
    "لا توجد غرفة نشطة بهذا المعرّف. اضغط Enter لفتحها على أي حال."],
  unreachableRetry: [
    "The service cannot be reached. Trying again.", "无法连接到服务，正在重试。", "サービスに接続できません。再試行しています。",
    "서비스에 연결할 수 없습니다. 다시 시도하는 중입니다.", "Não foi possível contatar o serviço. Tentando de novo.",
    "تعذّر الوصول إلى الخدمة. تجري إعادة المحاولة."],
  about: [
    "On screen: {banners} · Waiting: {waiting}", "屏幕上 {banners} · 排队 {waiting}", "表示 {banners} · 待機 {waiting}",
    "표시 {banners} · 대기 {waiting}", "Na tela: {banners} · Na fila: {waiting}", "على الشاشة: {banners} · في الانتظار: {waiting}"],
  aboutShown: [
    "On screen: {banners}", "屏幕上 {banners}", "表示 {banners}", "표시 {banners}", "Na tela: {banners}", "على الشاشة: {banners}"],
  readOut: ["Read out", "朗读", "読み上げ", "읽어 주기", "Ler em voz alta", "القراءة بصوت"],
  moving: ["Moving background", "动态背景", "背景の動き", "움직이는 배경", "Fundo animado", "خلفية متحركة"],
  group: ["Group", "消费组", "グループ", "그룹", "Grupo", "المجموعة"],
  instance: ["Instance", "实例", "インスタンス", "인스턴스", "Instância", "النسخة"],
  version: ["Version", "版本", "バージョン", "버전", "Versão", "الإصدار"],
  uptime: ["Up for", "运行时间", "稼働時間", "가동 시간", "No ar há", "مدة التشغيل"],
  instructions: ["Instructions", "指令", "指示", "명령", "Instruções", "التعليمات"],
  bad: ["Bad events", "无效事件", "不正なイベント", "잘못된 이벤트", "Eventos inválidos", "أحداث غير صالحة"],
  commits: ["Commits", "提交", "コミット", "커밋", "Commits", "عمليات الإيداع"],
  aborts: ["Aborts", "中止", "中断", "중단", "Abortos", "عمليات الإلغاء"],
  partitions: ["Partitions", "分区", "パーティション", "파티션", "Partições", "الأقسام"],
  partition: ["Partition", "分区", "パーティション", "파티션", "Partição", "القسم"],
  state: ["State", "状态", "状態", "상태", "Estado", "الحالة"],
  lag: ["Lag", "延迟", "ラグ", "지연", "Atraso", "التأخر"],
  throughput: ["Throughput per second", "每秒吞吐量", "毎秒スループット", "초당 처리량", "Vazão por segundo", "الإنتاجية في الثانية"],
  events: ["Events", "事件", "イベント", "이벤트", "Eventos", "الأحداث"],
  lagEvents: ["Lag in events", "延迟（事件数）", "ラグ（イベント数）", "지연(이벤트 수)", "Atraso em eventos", "التأخر بالأحداث"],
  commitTime: ["Commit time", "提交耗时", "コミット時間", "커밋 시간", "Tempo de commit", "زمن الإيداع"],
  lateness: ["Gift to instruction", "从礼物到指令", "ギフトから指示まで", "선물에서 명령까지", "Do presente à instrução", "من الهدية إلى التعليمة"],
  median: ["Median", "中位数", "中央値", "중앙값", "Mediana", "الوسيط"],
  p99: ["99%", "99%", "99%", "99%", "99%", "99%"],
  longest: ["Longest", "最长", "最長", "최장", "Maior", "الأطول"],
  now: ["now", "现在", "現在", "지금", "agora", "الآن"],
  minutesAgo: ["−{n} min", "−{n} 分", "−{n} 分", "−{n}분", "−{n} min", "−{n} د"],
  ms: ["{n} ms", "{n} ms", "{n} ms", "{n} ms", "{n} ms", "{n} م.ث"],
  running: ["Running", "运行中", "稼働中", "실행 중", "Em execução", "قيد التشغيل"],
  restoring: ["Restoring", "恢复中", "復元中", "복원 중", "Restaurando", "جارٍ الاستعادة"],
  draining: ["Draining", "正在排空", "排出中", "정리 중", "Encerrando", "جارٍ التفريغ"],
  joining: ["Joining", "正在加入", "参加中", "참여 중", "Entrando", "جارٍ الانضمام"],
  stopped: ["Stopped", "已停止", "停止", "중지됨", "Parado", "متوقفة"],
  notKnown: ["not known", "未知", "不明", "알 수 없음", "desconhecido", "غير معروف"],
  noPartition: [
    "This instance has no partitions.", "此处没有分区。", "ここにパーティションはありません。", "여기에는 파티션이 없습니다.",
    "Nenhuma partição aqui.", "لا أقسام هنا."],
  andMore: ["And {n} more.", "另有 {n} 个。", "ほか {n} 件。", "외 {n}개.", "E mais {n}.", "و{n} أخرى."],
  restored: ["Restored: {n}%", "已恢复 {n}%", "復元 {n}%", "복원 {n}%", "Restaurado: {n}%", "المستعاد: {n}%"],
};

const wished = new URLSearchParams(location.search).get("lang");
export const lang = languageOf(wished);
export const dir = BANNER_WORDS[lang].dir;

/** Returns the text of that name in the page's language, filled in. */
export function word(name, values) {
  const row = TABLE[name];
  return row === undefined ? name : fill(row[LANGUAGES.indexOf(lang)], values);
}

/** Sets a node's text. An equal one is not written, since that would change the page. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Returns the path of a page with the language added, if one was chosen by `?lang=`. */
export function here(path) {
  if (wished === null) return path;
  const [before, hash] = path.split("#");
  return `${before}?lang=${lang}${hash === undefined ? "" : `#${hash}`}`;
}

/** Translates the page's own texts: `data-word` is the name of a node's text, `data-word-ATTRIBUTE` that of an attribute's. */
export function translate() {
  document.documentElement.lang = lang;
  document.documentElement.dir = dir;
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = word(node.dataset.word);
  for (const name of ["aria-label", "placeholder"]) {
    for (const node of document.querySelectorAll(`[data-word-${name}]`)) node.setAttribute(name, word(node.getAttribute(`data-word-${name}`)));
  }
  for (const link of document.querySelectorAll("nav a")) link.href = here(link.getAttribute("href"));
  const choice = document.querySelector("#language");
  if (choice === null) return;
  for (const one of LANGUAGES) choice.append(new Option(NAMES[one], one, one === lang, one === lang));
  choice.addEventListener("change", () => {
    const address = new URL(location.href);
    address.searchParams.set("lang", choice.value);
    location.assign(address);
  });
}

/** For tests: every sentence, in every language. */
export { TABLE, LANGUAGES };
