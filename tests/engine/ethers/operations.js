// Runs one list of cases against one library. The same text is part of an action and of stock.mjs: what differs is the
// library it is given. A case is {does, arguments}; the answer to each is a value that JSON carries, errors included.
const revived = (value) => {
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== "object" || value === null) return value;
  if (typeof value.$bytes === "string") return new Uint8Array(value.$bytes.match(/../g)?.map((byte) => parseInt(byte, 16)) ?? []);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, revived(item)]));
};

const shown = (value, depth = 0) => {
  if (typeof value === "bigint") return `${value}n`;
  if (value === undefined || typeof value === "function" || depth > 12) return null;
  if (typeof value !== "object" || value === null) return value;
  if (value._isBigNumber) return `BigNumber ${value}`;
  if (value instanceof Uint8Array) return `bytes ${[...value]}`;
  const names = Object.keys(value).filter((name) => typeof value[name] !== "function").sort();
  return Object.fromEntries(names.map((name) => [name, shown(value[name], depth + 1)]));
};

const reached = (root, path) => path.split(".").reduce(([, at], name) => [at, at[name]], [undefined, root]);

const operate = async (library, special, cases) => {
  const answers = [];
  for (const { does, arguments: given } of cases) {
    try {
      const values = revived(given);
      const [owner, found] = special[does] ? [special, special[does]] : reached(library, does);
      answers.push(shown(await found.apply(owner, values)));
    } catch (error) {
      // Errors without a code are the engine's or the curve's own: that there is one is what counts.
      answers.push(error.code === undefined ? { failed: true } : { failed: error.code, message: error.message });
    }
  }
  return answers;
};

/** What no single function of the library does; `library` is ethers v5. */
const specialOf5 = (library) => {
  const { utils } = library;
  const node = (phrase, path) => utils.HDNode.fromMnemonic(phrase).derivePath(path);
  return {
    wallet: (key) => {
      const wallet = new library.Wallet(key);
      return [wallet.address, wallet.publicKey, wallet._signingKey().compressedPublicKey, wallet.constructor.name];
    },
    signMessage: (key, message) => new library.Wallet(key).signMessage(message),
    signTypedData: (key, domain, types, value) => new library.Wallet(key)._signTypedData(domain, types, value),
    signTransaction: (key, transaction) => new library.Wallet(key).signTransaction(transaction),
    signAndParse: async (key, transaction) => (
      utils.parseTransaction(await new library.Wallet(key).signTransaction(transaction))
    ),
    signDigest: (key, digest) => utils.joinSignature(new utils.SigningKey(key).signDigest(digest)),
    sharedSecret: (key, other) => new utils.SigningKey(key).computeSharedSecret(other),
    addPoint: (key, other) => new utils.SigningKey(key)._addPoint(other),
    encode: (types, values) => utils.defaultAbiCoder.encode(types, values),
    decode: (types, data) => utils.defaultAbiCoder.decode(types, data),
    roundTrip: (types, values) => utils.defaultAbiCoder.decode(types, utils.defaultAbiCoder.encode(types, values)),
    call: (abi, name, values) => new utils.Interface(abi).encodeFunctionData(name, values),
    read: (abi, data) => new utils.Interface(abi).parseTransaction({ data }),
    log: (abi, log) => new utils.Interface(abi).parseLog(log),
    abi: (abi) => new utils.Interface(abi).format("full"),
    derive: (phrase, path) => {
      const { address, privateKey, publicKey, extendedKey, fingerprint, chainCode } = node(phrase, path);
      return { address, privateKey, publicKey, extendedKey, fingerprint, chainCode };
    },
    derivePublic: (phrase, path, further) => {
      const neutered = utils.HDNode.fromExtendedKey(node(phrase, path).neuter().extendedKey);
      return neutered.derivePath(further).address;
    },
    fromMnemonic: (phrase) => library.Wallet.fromMnemonic(phrase).address,
    big: (left, operation, right) => library.BigNumber.from(left)[operation](right),
    fixed: (left, operation, right) => (
      library.FixedNumber.from(left)[operation](library.FixedNumber.from(right)).toString()
    ),
    keystore: async (key, password) => (
      library.Wallet.fromEncryptedJsonSync(
        await new library.Wallet(key).encrypt(password, { scrypt: { N: 2, r: 1, p: 1 } }), password,
      ).privateKey
    ),
  };
};

/** The same of ethers v6. */
const specialOf6 = (library) => {
  const coder = library.AbiCoder.defaultAbiCoder();
  const node = (phrase, path) => library.HDNodeWallet.fromPhrase(phrase, "", path);
  return {
    wallet: (key) => {
      const wallet = new library.Wallet(key);
      return [wallet.address, wallet.signingKey.publicKey, wallet.signingKey.compressedPublicKey, wallet.constructor.name];
    },
    signMessage: (key, message) => new library.Wallet(key).signMessage(message),
    signTypedData: (key, domain, types, value) => new library.Wallet(key).signTypedData(domain, types, value),
    signTransaction: (key, transaction) => new library.Wallet(key).signTransaction(transaction),
    signAndParse: async (key, transaction) => (
      library.Transaction.from(await new library.Wallet(key).signTransaction(transaction)).toJSON()
    ),
    signDigest: (key, digest) => new library.SigningKey(key).sign(digest).serialized,
    sharedSecret: (key, other) => new library.SigningKey(key).computeSharedSecret(other),
    addPoint: (key, other) => library.SigningKey.addPoints(new library.SigningKey(key).publicKey, other, true),
    encode: (types, values) => coder.encode(types, values),
    decode: (types, data) => [...coder.decode(types, data)].map(String),
    roundTrip: (types, values) => String(coder.decode(types, coder.encode(types, values))),
    call: (abi, name, values) => new library.Interface(abi).encodeFunctionData(name, values),
    derive: (phrase, path) => {
      const { address, privateKey, publicKey, extendedKey, fingerprint, chainCode } = node(phrase, path);
      return { address, privateKey, publicKey, extendedKey, fingerprint, chainCode };
    },
    derivePublic: (phrase, path, further) => (
      library.HDNodeWallet.fromExtendedKey(node(phrase, path).neuter().extendedKey).derivePath(further).address
    ),
    fromMnemonic: (phrase) => library.Wallet.fromPhrase(phrase).address,
    keystore: async (key, password) => (
      library.Wallet.fromEncryptedJsonSync(
        await library.encryptKeystoreJson({ address: library.computeAddress(key), privateKey: key }, password, { scrypt: { N: 2, r: 1, p: 1 } }), password,
      ).privateKey
    ),
  };
};
