// Hosts of URLs (URL Standard, section 3.5). `invalidUrl` is the error of an invalid host.
const invalidUrl = () => new TypeError("Invalid URL");

const FORBIDDEN_HOST = /[\0\t\n\r #/:<>?@[\\\]^|]/;
const FORBIDDEN_DOMAIN = /[\0-\x20#%/:<>?@[\\\]^|\x7f]/;
const NOT_ASCII = /[^\0-\x7f]/;
const LAST_LABEL_NUMBER = /(?:^|\.)(?:[0-9]+|0[xX][0-9a-fA-F]*)\.?$/;

/** A domain in ASCII and lower case; "" for an invalid one. The worker knows the tables of UTS #46. */
const asciiDomain = (domain) => (match(NOT_ASCII, domain) ? domainToAscii(domain) : toLowerCase(domain));

const parseHost = (text, special) => {
  if (text[0] === "[") {
    if (text[text.length - 1] !== "]") throw invalidUrl();
    return join(["[", serializeIpv6(parseIpv6(substring(text, 1, -1))), "]"], "");
  }
  if (!special) {
    if (match(FORBIDDEN_HOST, text)) throw invalidUrl();
    return percentEncode(text, CONTROL_SET);
  }
  const domain = asciiDomain(decodeUtf8(percentDecode(text, false), false));
  if (domain === "" || match(FORBIDDEN_DOMAIN, domain)) throw invalidUrl();
  return match(LAST_LABEL_NUMBER, domain) ? serializeIpv4(parseIpv4(domain)) : domain;
};

const ipv4Number = (part) => {
  if (match(/^0[xX][0-9a-fA-F]*$/, part)) return part.length === 2 ? 0 : NativeNumber(part);
  if (match(/^0[0-7]*$/, part)) return part.length === 1 ? 0 : NativeNumber(join(["0o", substring(part, 1)], ""));
  if (match(/^[1-9][0-9]*$/, part)) return NativeNumber(part);
  throw invalidUrl();
};

const parseIpv4 = (text) => {
  const parts = split(text, ".");
  if (parts[parts.length - 1] === "" && parts.length > 1) parts.length -= 1;
  if (parts.length > 4) throw invalidUrl();
  const last = parts.length - 1;
  let address = 0;
  for (let i = 0; i < last; i += 1) {
    const number = ipv4Number(parts[i]);
    if (number > 255) throw invalidUrl();
    address += number * 256 ** (3 - i);
  }
  const number = ipv4Number(parts[last]);
  if (number >= 256 ** (4 - last)) throw invalidUrl();
  return address + number;
};

const serializeIpv4 = (address) =>
  join([(address / 16777216) & 255, (address >> 16) & 255, (address >> 8) & 255, address & 255], ".");

const ipv4Tail = (text) => {
  const parts = split(text, ".");
  if (parts.length !== 4) throw invalidUrl();
  const numbers = list();
  for (let i = 0; i < 4; i += 1) {
    if (!match(/^(?:0|[1-9][0-9]{0,2})$/, parts[i]) || NativeNumber(parts[i]) > 255) throw invalidUrl();
    append(numbers, NativeNumber(parts[i]));
  }
  return [numbers[0] * 256 + numbers[1], numbers[2] * 256 + numbers[3]];
};

/** Groups of one side of "::", a dotted tail counting as two. */
const ipv6Groups = (text, tailAllowed) => {
  const groups = list();
  if (text === "") return groups;
  const parts = split(text, ":");
  for (let i = 0; i < parts.length; i += 1) {
    if (tailAllowed && i === parts.length - 1 && indexOf(parts[i], ".") >= 0) {
      const tail = ipv4Tail(parts[i]);
      append(groups, tail[0]);
      append(groups, tail[1]);
    } else {
      if (!match(/^[0-9a-fA-F]{1,4}$/, parts[i])) throw invalidUrl();
      append(groups, parseHex(parts[i]));
    }
  }
  return groups;
};

const parseIpv6 = (text) => {
  const gap = indexOf(text, "::");
  const head = ipv6Groups(gap < 0 ? text : substring(text, 0, gap), gap < 0);
  const tail = gap < 0 ? list() : ipv6Groups(substring(text, gap + 2), true);
  const known = head.length + tail.length;
  if (gap < 0 ? known !== 8 : known > 7) throw invalidUrl();
  for (let i = known; i < 8; i += 1) append(head, 0);
  for (let i = 0; i < tail.length; i += 1) append(head, tail[i]);
  return head;
};

/** Start and length of the longest run of two or more zero groups; length 0 for none. */
const longestZeros = (groups) => {
  let best = { __proto__: null, at: -1, length: 1 };
  for (let i = 0; i < 8; i += 1) {
    let length = 0;
    while (i + length < 8 && groups[i + length] === 0) length += 1;
    if (length > best.length) best = { __proto__: null, at: i, length };
  }
  return best;
};

const serializeIpv6 = (groups) => {
  const zeros = longestZeros(groups);
  const side = (from, to) => {
    const shown = list();
    for (let i = from; i < to; i += 1) append(shown, numberToString(groups[i], 16));
    return join(shown, ":");
  };
  if (zeros.at < 0) return side(0, 8);
  return join([side(0, zeros.at), side(zeros.at + zeros.length, 8)], "::");
};
