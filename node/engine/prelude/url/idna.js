// Maps non-ASCII names by NFKC and lower case, then Punycode (RFC 3492). Without the tables of
// UTS #46, names that only these would map are refused.
const IGNORED = /[\u00ad\u034f\u180b-\u180f\u200b\u2060\u2064\ufe00-\ufe0f\ufeff]/gu;
const FULL_STOPS = /[\u3002\uff0e\uff61]/gu;
const NOT_IN_A_NAME = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Z}\ufffd]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const lowerCased = (text) => {
  const shown = list();
  for (let i = 0; i < text.length; i += 1) {
    // One at a time: a sigma at the end of a word is no other letter in a name. Pairs go together.
    const pair = charCodeAt(text, i) >= 0xd800 && charCodeAt(text, i) <= 0xdbff;
    append(shown, toLowerCase(substring(text, i, pair ? i + 2 : i + 1)));
    if (pair) i += 1;
  }
  return join(shown, "");
};

const without = (text, pattern, substitute) => {
  const shown = list();
  let from = 0;
  pattern.lastIndex = 0;
  for (let found = match(pattern, text); found; found = match(pattern, text)) {
    append(shown, substring(text, from, found.index));
    append(shown, substitute);
    from = found.index + found[0].length;
  }
  append(shown, substring(text, from));
  return join(shown, "");
};

const domainToAscii = (domain) => {
  if (!match(NOT_ASCII, domain)) return toLowerCase(domain);
  const dotted = without(without(domain, IGNORED, ""), FULL_STOPS, ".");
  const mapped = normalize(lowerCased(normalize(dotted, "NFKC")), "NFKC");
  const labels = split(mapped, ".");
  // A character that NFKC takes apart into one with a full stop is none a name may hold.
  if (labels.length !== split(dotted, ".").length) throw invalidUrl();
  for (let i = 0; i < labels.length; i += 1) if (match(NOT_ASCII, labels[i])) labels[i] = encodedLabel(labels[i]);
  return join(labels, ".");
};

const encodedLabel = (label) => {
  if (match(NOT_IN_A_NAME, label) || match(RIGHT_TO_LEFT, label) || match(/^\p{M}/u, label)) throw invalidUrl();
  if (match(/^xn--|^..--/u, label)) throw invalidUrl();
  return join(["xn--", punycode(label)], "");
};

const codePointsOf = (text) => {
  const points = list();
  for (let i = 0; i < text.length; i += 1) {
    const point = codePointAt(text, i);
    append(points, point);
    if (point > 0xffff) i += 1;
  }
  return points;
};

const adaptedBias = (delta, points, first) => {
  let rest = floor(delta / (first ? 700 : 2));
  rest += floor(rest / points);
  let k = 0;
  for (; rest > 455; k += 36) rest = floor(rest / 35);
  return k + floor((36 * rest) / (rest + 38));
};

const BASE36 = "abcdefghijklmnopqrstuvwxyz0123456789";

const appendVariableLength = (output, delta, bias) => {
  let rest = delta;
  for (let k = 36; ; k += 36) {
    const threshold = min(max(k - bias, 1), 26);
    if (rest < threshold) break;
    append(output, BASE36[threshold + ((rest - threshold) % (36 - threshold))]);
    rest = floor((rest - threshold) / (36 - threshold));
  }
  append(output, BASE36[rest]);
};

const punycode = (label) => {
  const points = codePointsOf(label);
  const output = list();
  for (let i = 0; i < points.length; i += 1) if (points[i] < 128) append(output, fromCharCode(points[i]));
  const basic = output.length;
  if (basic > 0) append(output, "-");
  let handled = basic;
  let next = 128;
  let delta = 0;
  let bias = 72;
  while (handled < points.length) {
    let smallest = 0x10ffff;
    for (let i = 0; i < points.length; i += 1) if (points[i] >= next && points[i] < smallest) smallest = points[i];
    delta += (smallest - next) * (handled + 1);
    next = smallest;
    for (let i = 0; i < points.length; i += 1) {
      if (points[i] < next) delta += 1;
      if (points[i] !== next) continue;
      appendVariableLength(output, delta, bias);
      bias = adaptedBias(delta, handled + 1, handled === basic);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    next += 1;
  }
  return join(output, "");
};
