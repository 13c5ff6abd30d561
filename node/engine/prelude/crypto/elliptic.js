// ECDSA and ECDH on P-256 and P-384. Public keys are hex digits (04, x, y), private {scalar, point}.
// `oid` names a curve in DER, `bytes` are those of a coordinate, `jws` is the name of its signatures.
const CURVES = {
  __proto__: null,
  "P-256": { __proto__: null, bytes: 32, oid: "06082a8648ce3d030107", jws: "ES256" },
  "P-384": { __proto__: null, bytes: 48, oid: "06052b81040022", jws: "ES384" },
};
const EC_PUBLIC_KEY = "06072a8648ce3d0201";

/** The name of the curve that an algorithm asks for. */
const curveOf = (given) => {
  if (given.namedCurve === undefined) throw new TypeError("The algorithm needs a namedCurve.");
  const curve = textOf(given.namedCurve);
  if (CURVES[curve] === undefined) throw notSupported();
  return curve;
};

const pointOf = (curve, hex) => {
  const point = ecPoint(curve, hex);
  if (point === "") throw dataError(join(["Invalid keyData: not a point of ", curve], ""));
  return point;
};

/** The private key of a scalar. `claimed` is a point the data says belongs to it, or "". */
const privateOf = (curve, scalar, claimed) => {
  const point = scalar.length === 2 * CURVES[curve].bytes ? ecPublic(curve, scalar) : "";
  if (point === "" || (claimed !== "" && pointOf(curve, claimed) !== point)) {
    throw dataError(join(["Invalid keyData: not a private key of ", curve], ""));
  }
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

/** An element of DER as hex, with at most 255 bytes. */
const der = (tag, value) => {
  const length = value.length / 2;
  return join([tag, length < 0x80 ? "" : "81", byteHex(length), value], "");
};

const expectElement = (hex, tag, value) => {
  const element = derElement(hex);
  if (element.tag !== tag || (value !== undefined && element.value !== value)) throw dataError("Invalid keyData: not a key of this curve");
  return element;
};

const identifierOf = (curve) => join([EC_PUBLIC_KEY, CURVES[curve].oid], "");

const privateOfPkcs8 = (curve, hex) => {
  const outer = expectElement(hex, "30");
  const version = expectElement(outer.value, "02", "00");
  const algorithm = expectElement(version.rest, "30", identifierOf(curve));
  const key = expectElement(expectElement(algorithm.rest, "04").value, "30");
  const scalar = expectElement(expectElement(key.value, "02", "01").rest, "04");
  let claimed = "";
  for (let rest = scalar.rest; rest !== "";) {
    const element = derElement(rest);
    if (element.tag === "a1") claimed = substring(expectElement(element.value, "03").value, 2);
    rest = element.rest;
  }
  return privateOf(curve, scalar.value, claimed);
};

const publicOfSpki = (curve, hex) => {
  const outer = expectElement(hex, "30");
  const algorithm = expectElement(outer.value, "30", identifierOf(curve));
  const point = expectElement(algorithm.rest, "03");
  // A bit string begins with the number of its unused bits.
  if (outer.rest !== "" || point.rest !== "" || substring(point.value, 0, 2) !== "00") throw dataError("Invalid keyData: not a public key");
  return pointOf(curve, substring(point.value, 2));
};

const spkiOf = (curve, point) => der("30", join([der("30", identifierOf(curve)), der("03", join(["00", point], ""))], ""));

const pkcs8Of = (curve, { scalar, point }) => {
  const open = der("a1", der("03", join(["00", point], "")));
  const key = der("30", join(["020101", der("04", scalar), open], ""));
  return der("30", join(["020100", der("30", identifierOf(curve)), der("04", key)], ""));
};

const coordinateOf = (curve, text) => {
  const hex = toHex(bytesOfBase64Url(text));
  if (hex.length !== 2 * CURVES[curve].bytes) throw dataError("Invalid JWK: a coordinate is of another length");
  return hex;
};

const pointOfJwk = (curve, { name, use }, jwk, extractable, usages) => {
  checkJwk(jwk, "EC", use, extractable, usages);
  if (jwk.crv !== curve) throw dataError("Invalid JWK: crv");
  if (name === "ECDSA" && jwk.alg !== undefined && jwk.alg !== CURVES[curve].jws) throw dataError("Invalid JWK: alg");
  return join(["04", coordinateOf(curve, jwk.x), coordinateOf(curve, jwk.y)], "");
};

/** Operations on pairs of a kind: `name`, `use`, and the usages of public keys, of private keys and of a new pair. */
const pairs = (kind) => {
  const described = (curve) => ({ name: kind.name, namedCurve: curve });
  const publicKey = (curve, extractable, usages, point) => makeKey("public", extractable, described(curve), usages, point);
  const privateKey = (curve, extractable, usages, material) => makeKey("private", extractable, described(curve), usages, material);
  const importPublic = (curve, usages, extractable, read) => {
    allowUsages(usages, kind.publicUsages);
    return publicKey(curve, extractable, usages, pointOf(curve, read()));
  };
  const importPrivate = (curve, usages, extractable, read) => {
    allowUsages(usages, kind.privateUsages);
    return privateKey(curve, extractable, usages, read());
  };
  return {
    __proto__: null,
    importKey(format, data, given, extractable, usages) {
      const curve = curveOf(given);
      if (format === "raw") return importPublic(curve, usages, extractable, () => toHex(sourceBytes(data)));
      if (format === "spki") return importPublic(curve, usages, extractable, () => publicOfSpki(curve, toHex(sourceBytes(data))));
      if (format === "pkcs8") return importPrivate(curve, usages, extractable, () => privateOfPkcs8(curve, toHex(sourceBytes(data))));
      if (format !== "jwk") throw notSupported();
      const point = () => pointOfJwk(curve, kind, data, extractable, usages);
      if (data.d === undefined) return importPublic(curve, usages, extractable, point);
      return importPrivate(curve, usages, extractable, () => privateOf(curve, coordinateOf(curve, data.d), point()));
    },
    exportKey(format, key) {
      const secret = keyType(key) === "private";
      const material = keyMaterial(key);
      const curve = keyAlgorithm(key).namedCurve;
      if (format === "jwk") return jwkOfPoint(key, curve, secret ? material.point : material);
      if (format !== "raw" && format !== "spki" && format !== "pkcs8") throw notSupported();
      if (secret !== (format === "pkcs8")) throw domError("InvalidAccessError", "This key has no such form.");
      if (format === "raw") return bufferOf(fromHex(material));
      return bufferOf(fromHex(secret ? pkcs8Of(curve, material) : spkiOf(curve, material)));
    },
    generateKey(given, extractable, usages) {
      const curve = curveOf(given);
      allowUsages(usages, kind.pairUsages);
      const secret = someUsages(usages, kind.privateUsages);
      let scalar;
      do scalar = toHex(randomBytes(CURVES[curve].bytes)); while (ecPublic(curve, scalar) === "");
      const material = privateOf(curve, scalar, "");
      return {
        publicKey: publicKey(curve, true, someUsages(usages, kind.publicUsages), material.point),
        privateKey: privateKey(curve, extractable, secret, material),
      };
    },
  };
};

const jwkOfPoint = (key, curve, point) => {
  const end = 2 + 2 * CURVES[curve].bytes;
  const jwk = {
    key_ops: arrayOf(keyUsages(key)), ext: keyExtractable(key), kty: "EC",
    x: base64UrlOf(fromHex(substring(point, 2, end))), y: base64UrlOf(fromHex(substring(point, end))), crv: curve,
  };
  if (keyType(key) === "private") jwk.d = base64UrlOf(fromHex(keyMaterial(key).scalar));
  return jwk;
};

const ecdsa = () => {
  const operations = pairs({
    __proto__: null, name: "ECDSA", use: "sig", publicUsages: ["verify"], privateUsages: ["sign"], pairUsages: ["sign", "verify"],
  });
  const curveOfKey = (key) => keyAlgorithm(key).namedCurve;
  operations.sign = (given, key, data) => fromHex(answered(ecSign(curveOfKey(key), keyMaterial(key).scalar, hashOf(given), toHex(data))));
  operations.verify = (given, key, signature, data) =>
    answered(ecVerify(curveOfKey(key), keyMaterial(key), hashOf(given), toHex(data), toHex(signature))) === "valid";
  return operations;
};

/** The first `length` bits, the rest of the last byte being 0. */
const firstBits = (bytes, length) => {
  if (length > 8 * bytes.length) throw operationError("derived bit length is too large");
  const cut = newBytes(subarray(bytes, 0, ceil(length / 8)));
  if (length % 8 !== 0) cut[cut.length - 1] &= 0xff00 >> (length % 8);
  return cut;
};

const ecdh = () => {
  const deriving = ["deriveKey", "deriveBits"];
  const operations = pairs({ __proto__: null, name: "ECDH", use: "enc", publicUsages: [], privateUsages: deriving, pairUsages: deriving });
  operations.deriveBits = (given, key, length) => {
    const other = given.public;
    if (!isKey(other)) throw new TypeError("ECDH needs the public key of the other side.");
    const { name, namedCurve } = keyAlgorithm(other);
    if (keyType(other) !== "public" || name !== "ECDH") throw domError("InvalidAccessError", "The other key is no public key of ECDH.");
    if (namedCurve !== keyAlgorithm(key).namedCurve) throw domError("InvalidAccessError", "The other key is of another curve.");
    const shared = fromHex(answered(ecAgree(namedCurve, keyMaterial(key).scalar, keyMaterial(other))));
    return length === null ? shared : firstBits(shared, length);
  };
  return operations;
};
