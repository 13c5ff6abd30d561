// ECDSA and ECDH on P-256. Public keys are 130 hex digits (04, x, y), private {scalar, point}.
const SPKI_POINT = "3059301306072a8648ce3d020106082a8648ce3d030107034200";
const SPKI_COMPRESSED = "3039301306072a8648ce3d020106082a8648ce3d030107032200";
const PKCS8_ALGORITHM = "301306072a8648ce3d020106082a8648ce3d030107";

const checkCurve = (given) => {
  if (given.namedCurve === undefined) throw new TypeError("The algorithm needs a namedCurve.");
  if (textOf(given.namedCurve) !== "P-256") throw notSupported();
};

const pointOf = (hex) => {
  const point = p256Point(hex);
  if (point === "") throw dataError("Invalid keyData: not a point of P-256");
  return point;
};

/** The private key of a scalar. `claimed` is a point the data says belongs to it, or "". */
const privateOf = (scalar, claimed) => {
  const point = scalar.length === 64 ? p256Public(scalar) : "";
  if (point === "" || (claimed !== "" && pointOf(claimed) !== point)) throw dataError("Invalid keyData: not a private key of P-256");
  return { __proto__: null, scalar, point };
};

/** Reads {tag, value, rest} of DER as hex; definite lengths of up to two bytes. */
const derElement = (hex) => {
  const byte = (at) => (at + 2 <= hex.length ? parseHex(substring(hex, at, at + 2)) : -1);
  let from = 4;
  let length = byte(2);
  if (length === 0x81) {
    length = byte(4);
    from = 6;
  } else if (length === 0x82) {
    length = byte(4) * 256 + byte(6);
    from = 8;
  }
  const to = from + 2 * length;
  if (length < 0 || length > 0xffff || to > hex.length) throw dataError("Invalid keyData: not DER");
  return { __proto__: null, tag: substring(hex, 0, 2), value: substring(hex, from, to), rest: substring(hex, to) };
};

const expectElement = (hex, tag, value) => {
  const element = derElement(hex);
  if (element.tag !== tag || (value !== undefined && element.value !== value)) throw dataError("Invalid keyData: not PKCS #8 of P-256");
  return element;
};

const privateOfPkcs8 = (hex) => {
  const outer = expectElement(hex, "30");
  const version = expectElement(outer.value, "02", "00");
  const algorithm = expectElement(version.rest, "30", substring(PKCS8_ALGORITHM, 4));
  const key = expectElement(expectElement(algorithm.rest, "04").value, "30");
  const scalar = expectElement(expectElement(key.value, "02", "01").rest, "04");
  let claimed = "";
  for (let rest = scalar.rest; rest !== "";) {
    const element = derElement(rest);
    if (element.tag === "a1") claimed = substring(expectElement(element.value, "03").value, 2);
    rest = element.rest;
  }
  return privateOf(scalar.value, claimed);
};

const publicOfSpki = (hex) => {
  const prefix = substring(hex, 0, SPKI_POINT.length);
  if (prefix === SPKI_POINT || prefix === SPKI_COMPRESSED) return pointOf(substring(hex, prefix.length));
  throw dataError("Invalid keyData: not a public key of P-256");
};

const coordinates = (jwk, use, extractable, usages) => {
  checkJwk(jwk, "EC", use, extractable, usages);
  if (jwk.crv !== "P-256") throw dataError("Invalid JWK: crv");
  if (typeof jwk.x !== "string" || typeof jwk.y !== "string") throw dataError("Invalid JWK: x and y");
  return join(["04", toHex(bytesOfBase64Url(jwk.x)), toHex(bytesOfBase64Url(jwk.y))], "");
};

const curve = (name, use, publicUsages, privateUsages, pairUsages) => {
  const publicKey = (point, usages) => makeKey("public", true, { name, namedCurve: "P-256" }, usages, point);
  const privateKey = (material, extractable, usages) => makeKey("private", extractable, { name, namedCurve: "P-256" }, usages, material);
  const importPublic = (usages, extractable, read) => {
    allowUsages(usages, publicUsages, false);
    return makeKey("public", extractable, { name, namedCurve: "P-256" }, usages, read());
  };
  const importPrivate = (usages, extractable, read) => {
    allowUsages(usages, privateUsages, true);
    return privateKey(read(), extractable, usages);
  };
  return {
    __proto__: null,
    importKey(format, data, given, extractable, usages) {
      checkCurve(given);
      if (format === "raw") return importPublic(usages, extractable, () => pointOf(toHex(sourceBytes(data))));
      if (format === "spki") return importPublic(usages, extractable, () => publicOfSpki(toHex(sourceBytes(data))));
      if (format === "pkcs8") return importPrivate(usages, extractable, () => privateOfPkcs8(toHex(sourceBytes(data))));
      if (format !== "jwk") throw notSupported();
      if (typeof data !== "object" || data === null) throw new TypeError("A JSON Web Key is an object.");
      const point = () => coordinates(data, use, extractable, usages);
      if (data.d === undefined) return importPublic(usages, extractable, () => pointOf(point()));
      return importPrivate(usages, extractable, () => privateOf(toHex(bytesOfBase64Url(data.d)), point()));
    },
    exportKey(format, key) {
      const secret = key.type === "private";
      const point = secret ? keyMaterial(key).point : keyMaterial(key);
      if (format === "jwk") return jwkOfPoint(key, point);
      if (format !== "raw" && format !== "spki" && format !== "pkcs8") throw notSupported();
      if (secret !== (format === "pkcs8")) throw domError("InvalidAccessError", "This key has no such form.");
      if (format === "raw") return bufferOf(fromHex(point));
      if (format === "spki") return bufferOf(fromHex(join([SPKI_POINT, point], "")));
      const inner = join(["306b0201010420", keyMaterial(key).scalar, "a144034200", point], "");
      return bufferOf(fromHex(join(["308187020100", PKCS8_ALGORITHM, "046d", inner], "")));
    },
    generateKey(given, extractable, usages) {
      checkCurve(given);
      allowUsages(usages, pairUsages, false);
      const secret = someUsages(usages, privateUsages);
      allowUsages(secret, privateUsages, true);
      let scalar;
      do scalar = toHex(randomBytes(32)); while (p256Public(scalar) === "");
      return { publicKey: publicKey(p256Public(scalar), someUsages(usages, publicUsages)), privateKey: privateKey(privateOf(scalar, ""), extractable, secret) };
    },
  };
};

const jwkOfPoint = (key, point) => {
  const jwk = {
    key_ops: key.usages, ext: key.extractable, kty: "EC",
    x: base64UrlOf(fromHex(substring(point, 2, 66))), y: base64UrlOf(fromHex(substring(point, 66))), crv: "P-256",
  };
  if (key.type === "private") jwk.d = base64UrlOf(fromHex(keyMaterial(key).scalar));
  return jwk;
};

const ecdsa = () => {
  const operations = curve("ECDSA", "sig", ["verify"], ["sign"], ["sign", "verify"]);
  operations.sign = (given, key, data) => fromHex(answered(p256Sign(keyMaterial(key).scalar, hashOf(given), toHex(data))));
  operations.verify = (given, key, signature, data) =>
    answered(p256Verify(keyMaterial(key), hashOf(given), toHex(data), toHex(signature))) === "valid";
  return operations;
};

const ecdh = () => {
  const operations = curve("ECDH", "enc", [], ["deriveKey", "deriveBits"], ["deriveKey", "deriveBits"]);
  operations.deriveBits = (given, key, length) => {
    const other = given.public;
    if (!isKey(other)) throw new TypeError("ECDH needs the public key of the other side.");
    if (other.type !== "public" || keyAlgorithm(other).name !== "ECDH") throw domError("InvalidAccessError", "The other key is no public key of ECDH.");
    const shared = fromHex(answered(p256Agree(keyMaterial(key).scalar, keyMaterial(other))));
    if (length === null) return shared;
    if (length > 256 || length % 8 !== 0) throw operationError("derived bit length is too large, or is part of a byte");
    return subarray(shared, 0, length / 8);
  };
  return operations;
};
