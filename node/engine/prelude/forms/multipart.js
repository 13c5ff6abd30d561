// multipart/form-data (RFC 7578, as HTML and Fetch write and read it) and urlencoded forms.
const FIELDS_MAX = 10_000;
const TOO_MANY = `it has more than ${FIELDS_MAX} fields.`;
/** Characters of the headers of one part. */
const PART_HEADERS_MAX = 16_384;
const BOUNDARY_MAX = 70;

const escapedName = (text) => replaced(replaced(replaced(text, "\n", "%0A"), "\r", "%0D"), '"', "%22");

/** {bytes, type} of a form as multipart/form-data. */
const encodeForm = (form) => {
  const boundary = join(["----formdata-", toHex(randomBytes(16))], "");
  const parts = list();
  let length = 0;
  const add = (bytes) => {
    append(parts, bytes);
    length += typedArrayLength(bytes);
  };
  const addText = (...pieces) => add(encodeUtf8(join(pieces, "")));
  const entries = formEntries(form);
  for (let i = 0; i < entries.length; i += 1) {
    const { name, value } = entries[i];
    const head = join(["--", boundary, '\r\nContent-Disposition: form-data; name="', escapedName(withLineEnds(name, "\r\n")), '"'], "");
    if (typeof value === "string") addText(head, "\r\n\r\n", withLineEnds(value, "\r\n"), "\r\n");
    else {
      const type = blobType(value) === "" ? "application/octet-stream" : blobType(value);
      addText(head, '; filename="', escapedName(fileName(value)), '"\r\nContent-Type: ', type, "\r\n\r\n");
      add(blobBytes(value));
      addText("\r\n");
    }
  }
  addText("--", boundary, "--\r\n");
  return { __proto__: null, bytes: joined(parts, length), type: join(["multipart/form-data; boundary=", boundary], "") };
};

const broken = (why) => new TypeError(join(["The body is no form: ", why], ""));
const addField = (entries, name, value) => {
  if (entries.length === FIELDS_MAX) throw broken(TOO_MANY);
  append(entries, { __proto__: null, name, value });
};

/** A name of a part, of which browsers escape only line ends and quotes. */
const nameOf = (binary) => decodeBinary(
  replaced(replaced(replaced(replaced(replaced(binary, "%0A", "\n"), "%0a", "\n"), "%0D", "\r"), "%0d", "\r"), "%22", '"'), false,
);

/** {name, file, type} of a part, from the lines of its headers. */
const partOf = (headers) => {
  let disposition;
  let type = "text/plain";
  for (let at = 0; at < headers.length;) {
    const end = nextOf(headers, "\r\n", at);
    const line = substring(headers, at, end);
    const colon = indexOf(line, ":");
    if (colon < 1) throw broken("a part has a line that is no header.");
    const name = toLowerCase(substring(line, 0, colon));
    const value = trimmed(substring(line, colon + 1));
    if (name === "content-disposition") disposition = withParameters(value, false);
    else if (name === "content-type") type = value;
    at = end + 2;
  }
  if (disposition === undefined || disposition.essence !== "form-data") throw broken("a part is no form-data.");
  const name = mapGet(disposition.parameters, "name");
  if (name === undefined) throw broken("a part has no name.");
  const file = mapGet(disposition.parameters, "filename");
  return { __proto__: null, name: nameOf(name), file: file === undefined ? undefined : nameOf(file), type };
};

/** The form that a binary of multipart/form-data holds. Raises TypeError for anything else. */
const decodeMultipart = (binary, boundary) => {
  if (boundary === undefined || boundary === "" || boundary.length > BOUNDARY_MAX) throw broken("its boundary has 1 to 70 characters.");
  const entries = list();
  const mark = join(["--", boundary], "");
  // A preamble before the first boundary is ignored, as mail does.
  let at = substring(binary, 0, mark.length) === mark ? 0 : indexOf(binary, join(["\r\n", mark], "")) + 2;
  if (at === 1) throw broken("it has no boundary.");
  for (;;) {
    at += mark.length;
    const after = substring(binary, at, at + 2);
    if (after === "--") return formOf(entries);
    if (after !== "\r\n") throw broken("a boundary does not end its line.");
    // The line end of the boundary is also that of headers that are none.
    const end = indexOf(substring(binary, at, at + PART_HEADERS_MAX), "\r\n\r\n");
    if (end < 0) throw broken(join(["a part's headers do not end within ", PART_HEADERS_MAX, " characters."], ""));
    const { name, file, type } = partOf(substring(binary, at + 2, at + end));
    const from = at + end + 4;
    const next = indexOf(binary, join(["\r\n", mark], ""), from - 2);
    if (next < 0) throw broken("it ends within a part.");
    const content = substring(binary, from, max(next, from));
    addField(entries, name, file === undefined ? decodeBinary(content, false) : fileFrom(bytesOfBinary(content), typeOf(type), file, now()));
    at = next + 2;
  }
};

/** The form of a text of application/x-www-form-urlencoded. */
const decodeUrlencoded = (text) => {
  const entries = list();
  // Counted before they are parted, which takes many times their memory.
  for (let at = indexOf(text, "&"), fields = 1; at >= 0; at = indexOf(text, "&", at + 1), fields += 1) {
    if (fields === FIELDS_MAX) throw broken(TOO_MANY);
  }
  const pairs = urlPart.parseForm(text);
  for (let i = 0; i < pairs.length; i += 1) addField(entries, pairs[i].name, pairs[i].value);
  return formOf(entries);
};

/** The form of a body of the type. */
const decodeForm = (binary, type) => {
  const { essence, parameters } = withParameters(type, true);
  if (essence === "application/x-www-form-urlencoded") return decodeUrlencoded(decodeBinary(binary, false));
  if (essence === "multipart/form-data") return decodeMultipart(binary, mapGet(parameters, "boundary"));
  throw broken("its Content-Type is not that of one.");
};
