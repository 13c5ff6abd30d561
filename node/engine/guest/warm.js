// Uses a library once for the snapshot. The value is a function that returns what failed.
(() => {
  let ended = "the library waits for something";
  const warm = async (library, coder, signTypedData) => {
    const wallet = new library.Wallet("0x" + "11".repeat(32));
    await wallet.signMessage("warm");
    await wallet[signTypedData]({ name: "warm" }, { Warm: [{ name: "up", type: "uint256" }] }, { up: 1 });
    coder.decode(["string"], coder.encode(["string"], ["warm"]));
  };
  const used = LIBRARY === "ethers"
    ? warm(ethers, ethers.utils.defaultAbiCoder, "_signTypedData")
    : warm(ethers6, ethers6.AbiCoder.defaultAbiCoder(), "signTypedData");
  used.then(() => { ended = ""; }, (error) => { ended = [error].join(""); });
  return () => ended;
})()
