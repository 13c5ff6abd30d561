/* Made by build.mjs, not by hand. Contains:

@adraffy/ens-normalize 1.11.1:

MIT License

Copyright (c) 2021 Andrew Raffensperger

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

@noble/hashes 1.3.2:

The MIT License (MIT)

Copyright (c) 2022 Paul Miller (https://paulmillr.com)

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
THE SOFTWARE.

ethers 6.17.0:

MIT License

Copyright (c) 2016-2025 Richard Moore

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

aes-js 4.0.0-beta.5:

The MIT License (MIT)

Copyright (c) 2022 Richard Moore

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
THE SOFTWARE.
*/
((natives) => {
var library=(()=>{var __defProp=Object.defineProperty;var __getOwnPropDesc=Object.getOwnPropertyDescriptor;var __getOwnPropNames=Object.getOwnPropertyNames;var __hasOwnProp=Object.prototype.hasOwnProperty;var __name=(target,value)=>__defProp(target,"name",{value,configurable:!0});var __export=(target,all)=>{for(var name in all)__defProp(target,name,{get:all[name],enumerable:!0})},__copyProps=(to,from,except,desc)=>{
if(from&&typeof from=="object"||typeof from=="function")for(let key of __getOwnPropNames(from))!__hasOwnProp.call(to,key)&&
key!==except&&__defProp(to,key,{get:()=>from[key],enumerable:!(desc=__getOwnPropDesc(from,key))||desc.enumerable});return to};var __toCommonJS=mod=>__copyProps(__defProp({},"__esModule",{value:!0}),mod);var stdin_exports={};__export(stdin_exports,{AbiCoder:()=>AbiCoder,AbstractProvider:()=>AbstractProvider,AbstractSigner:()=>AbstractSigner,
AlchemyProvider:()=>AlchemyProvider,AnkrProvider:()=>AnkrProvider,BaseContract:()=>BaseContract,BaseWallet:()=>BaseWallet,
Block:()=>Block,BlockscoutProvider:()=>BlockscoutProvider,BrowserProvider:()=>BrowserProvider,ChainstackProvider:()=>ChainstackProvider,
CloudflareProvider:()=>CloudflareProvider,ConstructorFragment:()=>ConstructorFragment,Contract:()=>Contract,ContractEventPayload:()=>ContractEventPayload,
ContractFactory:()=>ContractFactory,ContractTransactionReceipt:()=>ContractTransactionReceipt,ContractTransactionResponse:()=>ContractTransactionResponse,
ContractUnknownEventPayload:()=>ContractUnknownEventPayload,EnsPlugin:()=>EnsPlugin,EnsResolver:()=>EnsResolver,ErrorDescription:()=>ErrorDescription,
ErrorFragment:()=>ErrorFragment,EtherSymbol:()=>EtherSymbol,EtherscanPlugin:()=>EtherscanPlugin,EtherscanProvider:()=>EtherscanProvider,
EventFragment:()=>EventFragment,EventLog:()=>EventLog,EventPayload:()=>EventPayload,FallbackFragment:()=>FallbackFragment,
FallbackProvider:()=>FallbackProvider,FeeData:()=>FeeData,FeeDataNetworkPlugin:()=>FeeDataNetworkPlugin,FetchCancelSignal:()=>FetchCancelSignal,
FetchRequest:()=>FetchRequest,FetchResponse:()=>FetchResponse,FetchUrlFeeDataNetworkPlugin:()=>FetchUrlFeeDataNetworkPlugin,
FixedNumber:()=>FixedNumber,Fragment:()=>Fragment,FunctionFragment:()=>FunctionFragment,GasCostPlugin:()=>GasCostPlugin,
HDNodeVoidWallet:()=>HDNodeVoidWallet,HDNodeWallet:()=>HDNodeWallet,Indexed:()=>Indexed,InfuraProvider:()=>InfuraProvider,
InfuraWebSocketProvider:()=>InfuraWebSocketProvider,Interface:()=>Interface,IpcSocketProvider:()=>IpcSocketProvider,JsonRpcApiProvider:()=>JsonRpcApiProvider,
JsonRpcProvider:()=>JsonRpcProvider,JsonRpcSigner:()=>JsonRpcSigner,LangEn:()=>LangEn,Log:()=>Log,LogDescription:()=>LogDescription,
MaxInt256:()=>MaxInt256,MaxUint256:()=>MaxUint256,MessagePrefix:()=>MessagePrefix,MinInt256:()=>MinInt256,Mnemonic:()=>Mnemonic,
MulticoinProviderPlugin:()=>MulticoinProviderPlugin,N:()=>N,NamedFragment:()=>NamedFragment,Network:()=>Network,NetworkPlugin:()=>NetworkPlugin,
NonceManager:()=>NonceManager,ParamType:()=>ParamType,PocketProvider:()=>PocketProvider,QuickNodeProvider:()=>QuickNodeProvider,
Result:()=>Result,Signature:()=>Signature2,SigningKey:()=>SigningKey,SocketBlockSubscriber:()=>SocketBlockSubscriber,SocketEventSubscriber:()=>SocketEventSubscriber,
SocketPendingSubscriber:()=>SocketPendingSubscriber,SocketProvider:()=>SocketProvider,SocketSubscriber:()=>SocketSubscriber,
StructFragment:()=>StructFragment,Transaction:()=>Transaction,TransactionDescription:()=>TransactionDescription,TransactionReceipt:()=>TransactionReceipt,
TransactionResponse:()=>TransactionResponse,Typed:()=>Typed,TypedDataEncoder:()=>TypedDataEncoder,UndecodedEventLog:()=>UndecodedEventLog,
UnmanagedSubscriber:()=>UnmanagedSubscriber,Utf8ErrorFuncs:()=>Utf8ErrorFuncs,VoidSigner:()=>VoidSigner,Wallet:()=>Wallet,
WebSocketProvider:()=>WebSocketProvider,WeiPerEther:()=>WeiPerEther,Wordlist:()=>Wordlist,WordlistOwl:()=>WordlistOwl,WordlistOwlA:()=>WordlistOwlA,
ZeroAddress:()=>ZeroAddress,ZeroHash:()=>ZeroHash,accessListify:()=>accessListify,assert:()=>assert,assertArgument:()=>assertArgument,
assertArgumentCount:()=>assertArgumentCount,assertNormalize:()=>assertNormalize,assertPrivate:()=>assertPrivate,authorizationify:()=>authorizationify,
checkResultErrors:()=>checkResultErrors,computeAddress:()=>computeAddress,computeHmac:()=>computeHmac,concat:()=>concat,
copyRequest:()=>copyRequest,dataLength:()=>dataLength,dataSlice:()=>dataSlice,decodeBase58:()=>decodeBase58,decodeBase64:()=>decodeBase64,
decodeBytes32String:()=>decodeBytes32String,decodeRlp:()=>decodeRlp,decryptCrowdsaleJson:()=>decryptCrowdsaleJson,decryptKeystoreJson:()=>decryptKeystoreJson,
decryptKeystoreJsonSync:()=>decryptKeystoreJsonSync,defaultPath:()=>defaultPath2,defineProperties:()=>defineProperties,dnsEncode:()=>dnsEncode,
encodeBase58:()=>encodeBase58,encodeBase64:()=>encodeBase64,encodeBytes32String:()=>encodeBytes32String,encodeRlp:()=>encodeRlp,
encryptKeystoreJson:()=>encryptKeystoreJson,encryptKeystoreJsonSync:()=>encryptKeystoreJsonSync,ensNormalize:()=>ensNormalize,
ethers:()=>ethers_exports,formatEther:()=>formatEther,formatUnits:()=>formatUnits,fromTwos:()=>fromTwos,getAccountPath:()=>getAccountPath,
getAddress:()=>getAddress,getBigInt:()=>getBigInt,getBytes:()=>getBytes,getBytesCopy:()=>getBytesCopy,getCreate2Address:()=>getCreate2Address,
getCreateAddress:()=>getCreateAddress,getDefaultProvider:()=>getDefaultProvider,getIcapAddress:()=>getIcapAddress,getIndexedAccountPath:()=>getIndexedAccountPath,
getNumber:()=>getNumber,getUint:()=>getUint,hashAuthorization:()=>hashAuthorization,hashMessage:()=>hashMessage,hexlify:()=>hexlify,
id:()=>id,isAddress:()=>isAddress,isAddressable:()=>isAddressable,isBytesLike:()=>isBytesLike,isCallException:()=>isCallException,
isCrowdsaleJson:()=>isCrowdsaleJson,isError:()=>isError,isHexString:()=>isHexString,isKeystoreJson:()=>isKeystoreJson,isValidName:()=>isValidName,
keccak256:()=>keccak2562,lock:()=>lock,makeError:()=>makeError,mask:()=>mask,namehash:()=>namehash,parseEther:()=>parseEther,
parseUnits:()=>parseUnits,pbkdf2:()=>pbkdf23,randomBytes:()=>randomBytes2,recoverAddress:()=>recoverAddress,resolveAddress:()=>resolveAddress,
resolveProperties:()=>resolveProperties,ripemd160:()=>ripemd1602,scrypt:()=>scrypt2,scryptSync:()=>scryptSync,sha256:()=>sha2563,
sha512:()=>sha5122,showThrottleMessage:()=>showThrottleMessage,solidityPacked:()=>solidityPacked,solidityPackedKeccak256:()=>solidityPackedKeccak256,
solidityPackedSha256:()=>solidityPackedSha256,stripZerosLeft:()=>stripZerosLeft,toBeArray:()=>toBeArray,toBeHex:()=>toBeHex,
toBigInt:()=>toBigInt,toNumber:()=>toNumber,toQuantity:()=>toQuantity,toTwos:()=>toTwos,toUtf8Bytes:()=>toUtf8Bytes,toUtf8CodePoints:()=>toUtf8CodePoints,
toUtf8String:()=>toUtf8String,uuidV4:()=>uuidV4,verifyAuthorization:()=>verifyAuthorization,verifyMessage:()=>verifyMessage,
verifyTypedData:()=>verifyTypedData,version:()=>version,wordlists:()=>wordlists,zeroPadBytes:()=>zeroPadBytes,zeroPadValue:()=>zeroPadValue});var ethers_exports={};__export(ethers_exports,{AbiCoder:()=>AbiCoder,AbstractProvider:()=>AbstractProvider,AbstractSigner:()=>AbstractSigner,
AlchemyProvider:()=>AlchemyProvider,AnkrProvider:()=>AnkrProvider,BaseContract:()=>BaseContract,BaseWallet:()=>BaseWallet,
Block:()=>Block,BlockscoutProvider:()=>BlockscoutProvider,BrowserProvider:()=>BrowserProvider,ChainstackProvider:()=>ChainstackProvider,
CloudflareProvider:()=>CloudflareProvider,ConstructorFragment:()=>ConstructorFragment,Contract:()=>Contract,ContractEventPayload:()=>ContractEventPayload,
ContractFactory:()=>ContractFactory,ContractTransactionReceipt:()=>ContractTransactionReceipt,ContractTransactionResponse:()=>ContractTransactionResponse,
ContractUnknownEventPayload:()=>ContractUnknownEventPayload,EnsPlugin:()=>EnsPlugin,EnsResolver:()=>EnsResolver,ErrorDescription:()=>ErrorDescription,
ErrorFragment:()=>ErrorFragment,EtherSymbol:()=>EtherSymbol,EtherscanPlugin:()=>EtherscanPlugin,EtherscanProvider:()=>EtherscanProvider,
EventFragment:()=>EventFragment,EventLog:()=>EventLog,EventPayload:()=>EventPayload,FallbackFragment:()=>FallbackFragment,
FallbackProvider:()=>FallbackProvider,FeeData:()=>FeeData,FeeDataNetworkPlugin:()=>FeeDataNetworkPlugin,FetchCancelSignal:()=>FetchCancelSignal,
FetchRequest:()=>FetchRequest,FetchResponse:()=>FetchResponse,FetchUrlFeeDataNetworkPlugin:()=>FetchUrlFeeDataNetworkPlugin,
FixedNumber:()=>FixedNumber,Fragment:()=>Fragment,FunctionFragment:()=>FunctionFragment,GasCostPlugin:()=>GasCostPlugin,
HDNodeVoidWallet:()=>HDNodeVoidWallet,HDNodeWallet:()=>HDNodeWallet,Indexed:()=>Indexed,InfuraProvider:()=>InfuraProvider,
InfuraWebSocketProvider:()=>InfuraWebSocketProvider,Interface:()=>Interface,IpcSocketProvider:()=>IpcSocketProvider,JsonRpcApiProvider:()=>JsonRpcApiProvider,
JsonRpcProvider:()=>JsonRpcProvider,JsonRpcSigner:()=>JsonRpcSigner,LangEn:()=>LangEn,Log:()=>Log,LogDescription:()=>LogDescription,
MaxInt256:()=>MaxInt256,MaxUint256:()=>MaxUint256,MessagePrefix:()=>MessagePrefix,MinInt256:()=>MinInt256,Mnemonic:()=>Mnemonic,
MulticoinProviderPlugin:()=>MulticoinProviderPlugin,N:()=>N,NamedFragment:()=>NamedFragment,Network:()=>Network,NetworkPlugin:()=>NetworkPlugin,
NonceManager:()=>NonceManager,ParamType:()=>ParamType,PocketProvider:()=>PocketProvider,QuickNodeProvider:()=>QuickNodeProvider,
Result:()=>Result,Signature:()=>Signature2,SigningKey:()=>SigningKey,SocketBlockSubscriber:()=>SocketBlockSubscriber,SocketEventSubscriber:()=>SocketEventSubscriber,
SocketPendingSubscriber:()=>SocketPendingSubscriber,SocketProvider:()=>SocketProvider,SocketSubscriber:()=>SocketSubscriber,
StructFragment:()=>StructFragment,Transaction:()=>Transaction,TransactionDescription:()=>TransactionDescription,TransactionReceipt:()=>TransactionReceipt,
TransactionResponse:()=>TransactionResponse,Typed:()=>Typed,TypedDataEncoder:()=>TypedDataEncoder,UndecodedEventLog:()=>UndecodedEventLog,
UnmanagedSubscriber:()=>UnmanagedSubscriber,Utf8ErrorFuncs:()=>Utf8ErrorFuncs,VoidSigner:()=>VoidSigner,Wallet:()=>Wallet,
WebSocketProvider:()=>WebSocketProvider,WeiPerEther:()=>WeiPerEther,Wordlist:()=>Wordlist,WordlistOwl:()=>WordlistOwl,WordlistOwlA:()=>WordlistOwlA,
ZeroAddress:()=>ZeroAddress,ZeroHash:()=>ZeroHash,accessListify:()=>accessListify,assert:()=>assert,assertArgument:()=>assertArgument,
assertArgumentCount:()=>assertArgumentCount,assertNormalize:()=>assertNormalize,assertPrivate:()=>assertPrivate,authorizationify:()=>authorizationify,
checkResultErrors:()=>checkResultErrors,computeAddress:()=>computeAddress,computeHmac:()=>computeHmac,concat:()=>concat,
copyRequest:()=>copyRequest,dataLength:()=>dataLength,dataSlice:()=>dataSlice,decodeBase58:()=>decodeBase58,decodeBase64:()=>decodeBase64,
decodeBytes32String:()=>decodeBytes32String,decodeRlp:()=>decodeRlp,decryptCrowdsaleJson:()=>decryptCrowdsaleJson,decryptKeystoreJson:()=>decryptKeystoreJson,
decryptKeystoreJsonSync:()=>decryptKeystoreJsonSync,defaultPath:()=>defaultPath2,defineProperties:()=>defineProperties,dnsEncode:()=>dnsEncode,
encodeBase58:()=>encodeBase58,encodeBase64:()=>encodeBase64,encodeBytes32String:()=>encodeBytes32String,encodeRlp:()=>encodeRlp,
encryptKeystoreJson:()=>encryptKeystoreJson,encryptKeystoreJsonSync:()=>encryptKeystoreJsonSync,ensNormalize:()=>ensNormalize,
formatEther:()=>formatEther,formatUnits:()=>formatUnits,fromTwos:()=>fromTwos,getAccountPath:()=>getAccountPath,getAddress:()=>getAddress,
getBigInt:()=>getBigInt,getBytes:()=>getBytes,getBytesCopy:()=>getBytesCopy,getCreate2Address:()=>getCreate2Address,getCreateAddress:()=>getCreateAddress,
getDefaultProvider:()=>getDefaultProvider,getIcapAddress:()=>getIcapAddress,getIndexedAccountPath:()=>getIndexedAccountPath,
getNumber:()=>getNumber,getUint:()=>getUint,hashAuthorization:()=>hashAuthorization,hashMessage:()=>hashMessage,hexlify:()=>hexlify,
id:()=>id,isAddress:()=>isAddress,isAddressable:()=>isAddressable,isBytesLike:()=>isBytesLike,isCallException:()=>isCallException,
isCrowdsaleJson:()=>isCrowdsaleJson,isError:()=>isError,isHexString:()=>isHexString,isKeystoreJson:()=>isKeystoreJson,isValidName:()=>isValidName,
keccak256:()=>keccak2562,lock:()=>lock,makeError:()=>makeError,mask:()=>mask,namehash:()=>namehash,parseEther:()=>parseEther,
parseUnits:()=>parseUnits,pbkdf2:()=>pbkdf23,randomBytes:()=>randomBytes2,recoverAddress:()=>recoverAddress,resolveAddress:()=>resolveAddress,
resolveProperties:()=>resolveProperties,ripemd160:()=>ripemd1602,scrypt:()=>scrypt2,scryptSync:()=>scryptSync,sha256:()=>sha2563,
sha512:()=>sha5122,showThrottleMessage:()=>showThrottleMessage,solidityPacked:()=>solidityPacked,solidityPackedKeccak256:()=>solidityPackedKeccak256,
solidityPackedSha256:()=>solidityPackedSha256,stripZerosLeft:()=>stripZerosLeft,toBeArray:()=>toBeArray,toBeHex:()=>toBeHex,
toBigInt:()=>toBigInt,toNumber:()=>toNumber,toQuantity:()=>toQuantity,toTwos:()=>toTwos,toUtf8Bytes:()=>toUtf8Bytes,toUtf8CodePoints:()=>toUtf8CodePoints,
toUtf8String:()=>toUtf8String,uuidV4:()=>uuidV4,verifyAuthorization:()=>verifyAuthorization,verifyMessage:()=>verifyMessage,
verifyTypedData:()=>verifyTypedData,version:()=>version,wordlists:()=>wordlists,zeroPadBytes:()=>zeroPadBytes,zeroPadValue:()=>zeroPadValue});var version="6.17.0";function checkType(value,type,name){let types=type.split("|").map(t=>t.trim());for(let i=0;i<types.length;i++)switch(type){case"\
any":return;case"bigint":case"boolean":case"number":case"string":if(typeof value===type)return}let error=new Error(`inva\
lid value for type ${type}`);throw error.code="INVALID_ARGUMENT",error.argument=`value.${name}`,error.value=value,error}
__name(checkType,"checkType");async function resolveProperties(value){let keys=Object.keys(value);return(await Promise.all(
keys.map(k=>Promise.resolve(value[k])))).reduce((accum,v,index)=>(accum[keys[index]]=v,accum),{})}__name(resolveProperties,
"resolveProperties");function defineProperties(target,values,types){for(let key in values){let value=values[key],type=types?
types[key]:null;type&&checkType(value,type,key),Object.defineProperty(target,key,{enumerable:!0,value,writable:!1})}}__name(
defineProperties,"defineProperties");function stringify(value,seen){if(value==null)return"null";if(seen==null&&(seen=new Set),typeof value=="object"){if(seen.
has(value))return"[Circular]";seen.add(value)}if(Array.isArray(value))return"[ "+value.map(v=>stringify(v,seen)).join(",\
 ")+" ]";if(value instanceof Uint8Array){let HEX="0123456789abcdef",result="0x";for(let i=0;i<value.length;i++)result+=HEX[value[i]>>
4],result+=HEX[value[i]&15];return result}if(typeof value=="object"&&typeof value.toJSON=="function")return stringify(value.
toJSON(),seen);switch(typeof value){case"boolean":case"number":case"symbol":return value.toString();case"bigint":return BigInt(
value).toString();case"string":return JSON.stringify(value);case"object":{let keys=Object.keys(value);return keys.sort(),
"{ "+keys.map(k=>`${stringify(k,seen)}: ${stringify(value[k],seen)}`).join(", ")+" }"}}return"[ COULD NOT SERIALIZE ]"}__name(
stringify,"stringify");function isError(error,code){return error&&error.code===code}__name(isError,"isError");function isCallException(error){
return isError(error,"CALL_EXCEPTION")}__name(isCallException,"isCallException");function makeError(message,code,info){let shortMessage=message;
{let details=[];if(info){if("message"in info||"code"in info||"name"in info)throw new Error(`value will overwrite populat\
ed values: ${stringify(info)}`);for(let key in info){if(key==="shortMessage")continue;let value=info[key];details.push(key+
"="+stringify(value))}}details.push(`code=${code}`),details.push(`version=${version}`),details.length&&(message+=" ("+details.
join(", ")+")")}let error;switch(code){case"INVALID_ARGUMENT":error=new TypeError(message);break;case"NUMERIC_FAULT":case"\
BUFFER_OVERRUN":error=new RangeError(message);break;default:error=new Error(message)}return defineProperties(error,{code}),
info&&Object.assign(error,info),error.shortMessage==null&&defineProperties(error,{shortMessage}),error}__name(makeError,
"makeError");function assert(check,message,code,info){if(!check)throw makeError(message,code,info)}__name(assert,"assert");
function assertArgument(check,message,name,value){assert(check,message,"INVALID_ARGUMENT",{argument:name,value})}__name(
assertArgument,"assertArgument");function assertArgumentCount(count2,expectedCount,message){message==null&&(message=""),
message&&(message=": "+message),assert(count2>=expectedCount,"missing argument"+message,"MISSING_ARGUMENT",{count:count2,
expectedCount}),assert(count2<=expectedCount,"too many arguments"+message,"UNEXPECTED_ARGUMENT",{count:count2,expectedCount})}
__name(assertArgumentCount,"assertArgumentCount");var _normalizeForms=["NFD","NFC","NFKD","NFKC"].reduce((accum,form)=>{
try{if("test".normalize(form)!=="test")throw new Error("bad");if(form==="NFD"&&"\xE9".normalize("NFD")!=="e\u0301")throw new Error(
"broken");accum.push(form)}catch{}return accum},[]);function assertNormalize(form){assert(_normalizeForms.indexOf(form)>=
0,"platform missing String.prototype.normalize","UNSUPPORTED_OPERATION",{operation:"String.prototype.normalize",info:{form}})}
__name(assertNormalize,"assertNormalize");function assertPrivate(givenGuard,guard,className){if(className==null&&(className=
""),givenGuard!==guard){let method=className,operation="new";className&&(method+=".",operation+=" "+className),assert(!1,
`private constructor; use ${method}from* methods`,"UNSUPPORTED_OPERATION",{operation})}}__name(assertPrivate,"assertPriv\
ate");function _getBytes(value,name,copy4){if(value instanceof Uint8Array)return copy4?new Uint8Array(value):value;if(typeof value==
"string"&&value.length%2===0&&value.match(/^0x[0-9a-f]*$/i)){let result=new Uint8Array((value.length-2)/2),offset=2;for(let i=0;i<
result.length;i++)result[i]=parseInt(value.substring(offset,offset+2),16),offset+=2;return result}assertArgument(!1,"inv\
alid BytesLike value",name||"value",value)}__name(_getBytes,"_getBytes");function getBytes(value,name){return _getBytes(
value,name,!1)}__name(getBytes,"getBytes");function getBytesCopy(value,name){return _getBytes(value,name,!0)}__name(getBytesCopy,
"getBytesCopy");function isHexString(value,length){return!(typeof value!="string"||!value.match(/^0x[0-9A-Fa-f]*$/)||typeof length==
"number"&&value.length!==2+2*length||length===!0&&value.length%2!==0)}__name(isHexString,"isHexString");function isBytesLike(value){
return isHexString(value,!0)||value instanceof Uint8Array}__name(isBytesLike,"isBytesLike");var HexCharacters="012345678\
9abcdef";function hexlify(data){let bytes2=getBytes(data),result="0x";for(let i=0;i<bytes2.length;i++){let v=bytes2[i];result+=
HexCharacters[(v&240)>>4]+HexCharacters[v&15]}return result}__name(hexlify,"hexlify");function concat(datas){return"0x"+
datas.map(d=>hexlify(d).substring(2)).join("")}__name(concat,"concat");function dataLength(data){return isHexString(data,
!0)?(data.length-2)/2:getBytes(data).length}__name(dataLength,"dataLength");function dataSlice(data,start,end){let bytes2=getBytes(
data);return end!=null&&end>bytes2.length&&assert(!1,"cannot slice beyond data bounds","BUFFER_OVERRUN",{buffer:bytes2,length:bytes2.
length,offset:end}),hexlify(bytes2.slice(start??0,end??bytes2.length))}__name(dataSlice,"dataSlice");function stripZerosLeft(data){
let bytes2=hexlify(data).substring(2);for(;bytes2.startsWith("00");)bytes2=bytes2.substring(2);return"0x"+bytes2}__name(
stripZerosLeft,"stripZerosLeft");function zeroPad(data,length,left){let bytes2=getBytes(data);assert(length>=bytes2.length,
"padding exceeds data length","BUFFER_OVERRUN",{buffer:new Uint8Array(bytes2),length,offset:length+1});let result=new Uint8Array(
length);return result.fill(0),left?result.set(bytes2,length-bytes2.length):result.set(bytes2,0),hexlify(result)}__name(zeroPad,
"zeroPad");function zeroPadValue(data,length){return zeroPad(data,length,!0)}__name(zeroPadValue,"zeroPadValue");function zeroPadBytes(data,length){
return zeroPad(data,length,!1)}__name(zeroPadBytes,"zeroPadBytes");var BN_0=BigInt(0),BN_1=BigInt(1),maxValue=9007199254740991;function fromTwos(_value,_width){let value=getUint(_value,"v\
alue"),width=BigInt(getNumber(_width,"width"));if(assert(value>>width===BN_0,"overflow","NUMERIC_FAULT",{operation:"from\
Twos",fault:"overflow",value:_value}),value>>width-BN_1){let mask2=(BN_1<<width)-BN_1;return-((~value&mask2)+BN_1)}return value}
__name(fromTwos,"fromTwos");function toTwos(_value,_width){let value=getBigInt(_value,"value"),width=BigInt(getNumber(_width,
"width")),limit=BN_1<<width-BN_1;if(value<BN_0){value=-value,assert(value<=limit,"too low","NUMERIC_FAULT",{operation:"t\
oTwos",fault:"overflow",value:_value});let mask2=(BN_1<<width)-BN_1;return(~value&mask2)+BN_1}else assert(value<limit,"t\
oo high","NUMERIC_FAULT",{operation:"toTwos",fault:"overflow",value:_value});return value}__name(toTwos,"toTwos");function mask(_value,_bits){
let value=getUint(_value,"value"),bits=BigInt(getNumber(_bits,"bits"));return value&(BN_1<<bits)-BN_1}__name(mask,"mask");
function getBigInt(value,name){switch(typeof value){case"bigint":return value;case"number":return assertArgument(Number.
isInteger(value),"underflow",name||"value",value),assertArgument(value>=-maxValue&&value<=maxValue,"overflow",name||"val\
ue",value),BigInt(value);case"string":try{if(value==="")throw new Error("empty string");return value[0]==="-"&&value[1]!==
"-"?-BigInt(value.substring(1)):BigInt(value)}catch(e){assertArgument(!1,`invalid BigNumberish string: ${e.message}`,name||
"value",value)}}assertArgument(!1,"invalid BigNumberish value",name||"value",value)}__name(getBigInt,"getBigInt");function getUint(value,name){
let result=getBigInt(value,name);return assert(result>=BN_0,"unsigned value cannot be negative","NUMERIC_FAULT",{fault:"\
overflow",operation:"getUint",value}),result}__name(getUint,"getUint");var Nibbles="0123456789abcdef";function toBigInt(value){
if(value instanceof Uint8Array){let result="0x0";for(let v of value)result+=Nibbles[v>>4],result+=Nibbles[v&15];return BigInt(
result)}return getBigInt(value)}__name(toBigInt,"toBigInt");function getNumber(value,name){switch(typeof value){case"big\
int":return assertArgument(value>=-maxValue&&value<=maxValue,"overflow",name||"value",value),Number(value);case"number":
return assertArgument(Number.isInteger(value),"underflow",name||"value",value),assertArgument(value>=-maxValue&&value<=maxValue,
"overflow",name||"value",value),value;case"string":try{if(value==="")throw new Error("empty string");return getNumber(BigInt(
value),name)}catch(e){assertArgument(!1,`invalid numeric string: ${e.message}`,name||"value",value)}}assertArgument(!1,"\
invalid numeric value",name||"value",value)}__name(getNumber,"getNumber");function toNumber(value){return getNumber(toBigInt(
value))}__name(toNumber,"toNumber");function toBeHex(_value,_width){let value=getUint(_value,"value"),result=value.toString(
16);if(_width==null)result.length%2&&(result="0"+result);else{let width=getNumber(_width,"width");if(width===0&&value===
BN_0)return"0x";for(assert(width*2>=result.length,`value exceeds width (${width} bytes)`,"NUMERIC_FAULT",{operation:"toB\
eHex",fault:"overflow",value:_value});result.length<width*2;)result="0"+result}return"0x"+result}__name(toBeHex,"toBeHex");
function toBeArray(_value,_width){let value=getUint(_value,"value");if(value===BN_0){let width=_width!=null?getNumber(_width,
"width"):0;return new Uint8Array(width)}let hex=value.toString(16);if(hex.length%2&&(hex="0"+hex),_width!=null){let width=getNumber(
_width,"width");for(;hex.length<width*2;)hex="00"+hex;assert(width*2===hex.length,`value exceeds width (${width} bytes)`,
"NUMERIC_FAULT",{operation:"toBeArray",fault:"overflow",value:_value})}let result=new Uint8Array(hex.length/2);for(let i=0;i<
result.length;i++){let offset=i*2;result[i]=parseInt(hex.substring(offset,offset+2),16)}return result}__name(toBeArray,"\
toBeArray");function toQuantity(value){let result=hexlify(isBytesLike(value)?value:toBeArray(value)).substring(2);for(;result.
startsWith("0");)result=result.substring(1);return result===""&&(result="0"),"0x"+result}__name(toQuantity,"toQuantity");var Alphabet="123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",Lookup=null;function getAlpha(letter){if(Lookup==
null){Lookup={};for(let i=0;i<Alphabet.length;i++)Lookup[Alphabet[i]]=BigInt(i)}let result=Lookup[letter];return assertArgument(
result!=null,"invalid base58 value","letter",letter),result}__name(getAlpha,"getAlpha");var BN_02=BigInt(0),BN_58=BigInt(
58);function encodeBase58(_value){let bytes2=getBytes(_value),value=toBigInt(bytes2),result="";for(;value;)result=Alphabet[Number(
value%BN_58)]+result,value/=BN_58;for(let i=0;i<bytes2.length&&!bytes2[i];i++)result=Alphabet[0]+result;return result}__name(
encodeBase58,"encodeBase58");function decodeBase58(value){let result=BN_02;for(let i=0;i<value.length;i++)result*=BN_58,
result+=getAlpha(value[i]);return result}__name(decodeBase58,"decodeBase58");function decodeBase64(textData){textData=atob(textData);let data=new Uint8Array(textData.length);for(let i=0;i<textData.
length;i++)data[i]=textData.charCodeAt(i);return getBytes(data)}__name(decodeBase64,"decodeBase64");function encodeBase64(_data){
let data=getBytes(_data),textData="";for(let i=0;i<data.length;i++)textData+=String.fromCharCode(data[i]);return btoa(textData)}
__name(encodeBase64,"encodeBase64");var EventPayload=class{static{__name(this,"EventPayload")}filter;emitter;#listener;constructor(emitter,listener,filter){
this.#listener=listener,defineProperties(this,{emitter,filter})}async removeListener(){this.#listener!=null&&await this.
emitter.off(this.filter,this.#listener)}};function errorFunc(reason,offset,bytes2,output2,badCodepoint){assertArgument(!1,`invalid codepoint at offset ${offset}; ${reason}`,
"bytes",bytes2)}__name(errorFunc,"errorFunc");function ignoreFunc(reason,offset,bytes2,output2,badCodepoint){if(reason===
"BAD_PREFIX"||reason==="UNEXPECTED_CONTINUE"){let i=0;for(let o=offset+1;o<bytes2.length&&bytes2[o]>>6===2;o++)i++;return i}
return reason==="OVERRUN"?bytes2.length-offset-1:0}__name(ignoreFunc,"ignoreFunc");function replaceFunc(reason,offset,bytes2,output2,badCodepoint){
return reason==="OVERLONG"?(assertArgument(typeof badCodepoint=="number","invalid bad code point for replacement","badCo\
depoint",badCodepoint),output2.push(badCodepoint),0):(output2.push(65533),ignoreFunc(reason,offset,bytes2,output2,badCodepoint))}
__name(replaceFunc,"replaceFunc");var Utf8ErrorFuncs=Object.freeze({error:errorFunc,ignore:ignoreFunc,replace:replaceFunc});
function getUtf8CodePoints(_bytes,onError){onError==null&&(onError=Utf8ErrorFuncs.error);let bytes2=getBytes(_bytes,"byt\
es"),result=[],i=0;for(;i<bytes2.length;){let c=bytes2[i++];if(c>>7===0){result.push(c);continue}let extraLength=null,overlongMask=null;
if((c&224)===192)extraLength=1,overlongMask=127;else if((c&240)===224)extraLength=2,overlongMask=2047;else if((c&248)===
240)extraLength=3,overlongMask=65535;else{(c&192)===128?i+=onError("UNEXPECTED_CONTINUE",i-1,bytes2,result):i+=onError("\
BAD_PREFIX",i-1,bytes2,result);continue}if(i-1+extraLength>=bytes2.length){i+=onError("OVERRUN",i-1,bytes2,result);continue}
let res=c&(1<<8-extraLength-1)-1;for(let j=0;j<extraLength;j++){let nextChar=bytes2[i];if((nextChar&192)!=128){i+=onError(
"MISSING_CONTINUE",i,bytes2,result),res=null;break}res=res<<6|nextChar&63,i++}if(res!==null){if(res>1114111){i+=onError(
"OUT_OF_RANGE",i-1-extraLength,bytes2,result,res);continue}if(res>=55296&&res<=57343){i+=onError("UTF16_SURROGATE",i-1-extraLength,
bytes2,result,res);continue}if(res<=overlongMask){i+=onError("OVERLONG",i-1-extraLength,bytes2,result,res);continue}result.
push(res)}}return result}__name(getUtf8CodePoints,"getUtf8CodePoints");function toUtf8Bytes(str,form){assertArgument(typeof str==
"string","invalid string value","str",str),form!=null&&(assertNormalize(form),str=str.normalize(form));let result=[];for(let i=0;i<
str.length;i++){let c=str.charCodeAt(i);if(c<128)result.push(c);else if(c<2048)result.push(c>>6|192),result.push(c&63|128);else if((c&
64512)==55296){i++;let c2=str.charCodeAt(i);assertArgument(i<str.length&&(c2&64512)===56320,"invalid surrogate pair","st\
r",str);let pair=65536+((c&1023)<<10)+(c2&1023);result.push(pair>>18|240),result.push(pair>>12&63|128),result.push(pair>>
6&63|128),result.push(pair&63|128)}else result.push(c>>12|224),result.push(c>>6&63|128),result.push(c&63|128)}return new Uint8Array(
result)}__name(toUtf8Bytes,"toUtf8Bytes");function _toUtf8String(codePoints){return codePoints.map(codePoint=>codePoint<=
65535?String.fromCharCode(codePoint):(codePoint-=65536,String.fromCharCode((codePoint>>10&1023)+55296,(codePoint&1023)+56320))).
join("")}__name(_toUtf8String,"_toUtf8String");function toUtf8String(bytes2,onError){return _toUtf8String(getUtf8CodePoints(
bytes2,onError))}__name(toUtf8String,"toUtf8String");function toUtf8CodePoints(str,form){return getUtf8CodePoints(toUtf8Bytes(
str,form))}__name(toUtf8CodePoints,"toUtf8CodePoints");function createGetUrl(options){async function getUrl2(req,_signal){assert(_signal==null||!_signal.cancelled,"request can\
celled before sending","CANCELLED");let protocol=req.url.split(":")[0].toLowerCase();assert(protocol==="http"||protocol===
"https",`unsupported protocol ${protocol}`,"UNSUPPORTED_OPERATION",{info:{protocol},operation:"request"}),assert(protocol===
"https"||!req.credentials||req.allowInsecureAuthentication,"insecure authorized connections unsupported","UNSUPPORTED_OP\
ERATION",{operation:"request"});let error=null,controller=new AbortController,timer=setTimeout(()=>{error=makeError("req\
uest timeout","TIMEOUT"),controller.abort()},req.timeout);_signal&&_signal.addListener(()=>{error=makeError("request can\
celled","CANCELLED"),controller.abort()});let init2=Object.assign({},options,{method:req.method,headers:new Headers(Array.
from(req)),body:req.body||void 0,signal:controller.signal}),resp;try{resp=await fetch(req.url,init2)}catch(_error){throw clearTimeout(
timer),error||_error}clearTimeout(timer);let headers={};resp.headers.forEach((value,key)=>{headers[key.toLowerCase()]=value});
let respBody=await resp.arrayBuffer(),body=respBody==null?null:new Uint8Array(respBody);return{statusCode:resp.status,statusMessage:resp.
statusText,headers,body}}return __name(getUrl2,"getUrl"),getUrl2}__name(createGetUrl,"createGetUrl");var defaultGetUrl=createGetUrl(
{});var MAX_ATTEMPTS=12,SLOT_INTERVAL=250,defaultGetUrlFunc=createGetUrl(),reData=new RegExp("^data:([^;:]*)?(;base64)?,(.*)\
$","i"),reIpfs=new RegExp("^ipfs://(ipfs/)?(.*)$","i"),locked=!1;async function dataGatewayFunc(url,signal){try{let match=url.
match(reData);if(!match)throw new Error("invalid data");return new FetchResponse(200,"OK",{"content-type":match[1]||"tex\
t/plain"},match[2]?decodeBase64(match[3]):unpercent(match[3]))}catch{return new FetchResponse(599,"BAD REQUEST (invalid \
data: URI)",{},null,new FetchRequest(url))}}__name(dataGatewayFunc,"dataGatewayFunc");function getIpfsGatewayFunc(baseUrl){
async function gatewayIpfs(url,signal){try{let match=url.match(reIpfs);if(!match)throw new Error("invalid link");return new FetchRequest(
`${baseUrl}${match[2]}`)}catch{return new FetchResponse(599,"BAD REQUEST (invalid IPFS URI)",{},null,new FetchRequest(url))}}
return __name(gatewayIpfs,"gatewayIpfs"),gatewayIpfs}__name(getIpfsGatewayFunc,"getIpfsGatewayFunc");var Gateways={data:dataGatewayFunc,
ipfs:getIpfsGatewayFunc("https://gateway.ipfs.io/ipfs/")},fetchSignals=new WeakMap,FetchCancelSignal=class{static{__name(
this,"FetchCancelSignal")}#listeners;#cancelled;constructor(request){this.#listeners=[],this.#cancelled=!1,fetchSignals.
set(request,()=>{if(!this.#cancelled){this.#cancelled=!0;for(let listener of this.#listeners)setTimeout(()=>{listener()},
0);this.#listeners=[]}})}addListener(listener){assert(!this.#cancelled,"singal already cancelled","UNSUPPORTED_OPERATION",
{operation:"fetchCancelSignal.addCancelListener"}),this.#listeners.push(listener)}get cancelled(){return this.#cancelled}checkSignal(){
assert(!this.cancelled,"cancelled","CANCELLED",{})}};function checkSignal(signal){if(signal==null)throw new Error("missi\
ng signal; should not happen");return signal.checkSignal(),signal}__name(checkSignal,"checkSignal");var FetchRequest=class _FetchRequest{static{
__name(this,"FetchRequest")}#allowInsecure;#gzip;#headers;#method;#timeout;#url;#body;#bodyType;#creds;#preflight;#process;#retry;#signal;#throttle;#getUrlFunc;get url(){
return this.#url}set url(url){this.#url=String(url)}get body(){return this.#body==null?null:new Uint8Array(this.#body)}set body(body){
if(body==null)this.#body=void 0,this.#bodyType=void 0;else if(typeof body=="string")this.#body=toUtf8Bytes(body),this.#bodyType=
"text/plain";else if(body instanceof Uint8Array)this.#body=body,this.#bodyType="application/octet-stream";else if(typeof body==
"object")this.#body=toUtf8Bytes(JSON.stringify(body)),this.#bodyType="application/json";else throw new Error("invalid bo\
dy")}hasBody(){return this.#body!=null}get method(){return this.#method?this.#method:this.hasBody()?"POST":"GET"}set method(method){
method==null&&(method=""),this.#method=String(method).toUpperCase()}get headers(){let headers=Object.assign({},this.#headers);
return this.#creds&&(headers.authorization=`Basic ${encodeBase64(toUtf8Bytes(this.#creds))}`),this.allowGzip&&(headers["\
accept-encoding"]="gzip"),headers["content-type"]==null&&this.#bodyType&&(headers["content-type"]=this.#bodyType),this.body&&
(headers["content-length"]=String(this.body.length)),headers}getHeader(key){return this.headers[key.toLowerCase()]}setHeader(key,value){
this.#headers[String(key).toLowerCase()]=String(value)}clearHeaders(){this.#headers={}}[Symbol.iterator](){let headers=this.
headers,keys=Object.keys(headers),index=0;return{next:__name(()=>{if(index<keys.length){let key=keys[index++];return{value:[
key,headers[key]],done:!1}}return{value:void 0,done:!0}},"next")}}get credentials(){return this.#creds||null}setCredentials(username,password){
assertArgument(!username.match(/:/),"invalid basic authentication username","username","[REDACTED]"),this.#creds=`${username}\
:${password}`}get allowGzip(){return this.#gzip}set allowGzip(value){this.#gzip=!!value}get allowInsecureAuthentication(){
return!!this.#allowInsecure}set allowInsecureAuthentication(value){this.#allowInsecure=!!value}get timeout(){return this.#timeout}set timeout(timeout){
assertArgument(timeout>=0,"timeout must be non-zero","timeout",timeout),this.#timeout=timeout}get preflightFunc(){return this.#preflight||
null}set preflightFunc(preflight){this.#preflight=preflight}get processFunc(){return this.#process||null}set processFunc(process){
this.#process=process}get retryFunc(){return this.#retry||null}set retryFunc(retry){this.#retry=retry}get getUrlFunc(){return this.#getUrlFunc||
defaultGetUrlFunc}set getUrlFunc(value){this.#getUrlFunc=value}constructor(url){this.#url=String(url),this.#allowInsecure=
!1,this.#gzip=!0,this.#headers={},this.#method="",this.#timeout=3e5,this.#throttle={slotInterval:SLOT_INTERVAL,maxAttempts:MAX_ATTEMPTS},
this.#getUrlFunc=null}toString(){return`<FetchRequest method=${JSON.stringify(this.method)} url=${JSON.stringify(this.url)}\
 headers=${JSON.stringify(this.headers)} body=${this.#body?hexlify(this.#body):"null"}>`}setThrottleParams(params){params.
slotInterval!=null&&(this.#throttle.slotInterval=params.slotInterval),params.maxAttempts!=null&&(this.#throttle.maxAttempts=
params.maxAttempts)}async#send(attempt,expires,delay,_request,_response){if(attempt>=this.#throttle.maxAttempts)return _response.
makeServerError("exceeded maximum retry limit");assert(getTime()<=expires,"timeout","TIMEOUT",{operation:"request.send",
reason:"timeout",request:_request}),delay>0&&await wait(delay);let req=this.clone(),scheme=(req.url.split(":")[0]||"").toLowerCase();
if(scheme in Gateways){let result=await Gateways[scheme](req.url,checkSignal(_request.#signal));if(result instanceof FetchResponse){
let response2=result;if(this.processFunc){checkSignal(_request.#signal);try{response2=await this.processFunc(req,response2)}catch(error){
(error.throttle==null||typeof error.stall!="number")&&response2.makeServerError("error in post-processing function",error).
assertOk()}}return response2}req=result}this.preflightFunc&&(req=await this.preflightFunc(req));let resp=await this.getUrlFunc(
req,checkSignal(_request.#signal)),response=new FetchResponse(resp.statusCode,resp.statusMessage,resp.headers,resp.body,
_request);if([301,302,307,308].indexOf(response.statusCode)>=0){try{let location=response.headers.location||"";return req.
redirect(location).#send(attempt+1,expires,0,_request,response)}catch{}return response}else if(response.statusCode===429&&
(this.retryFunc==null||await this.retryFunc(req,response,attempt))){let retryAfter=response.headers["retry-after"],delay2=this.#throttle.
slotInterval*Math.trunc(Math.random()*Math.pow(2,attempt));return typeof retryAfter=="string"&&retryAfter.match(/^[1-9][0-9]*$/)&&
(delay2=parseInt(retryAfter)),req.clone().#send(attempt+1,expires,delay2,_request,response)}if(this.processFunc){checkSignal(
_request.#signal);try{response=await this.processFunc(req,response)}catch(error){(error.throttle==null||typeof error.stall!=
"number")&&response.makeServerError("error in post-processing function",error).assertOk();let delay2=this.#throttle.slotInterval*
Math.trunc(Math.random()*Math.pow(2,attempt));return error.stall>=0&&(delay2=error.stall),req.clone().#send(attempt+1,expires,
delay2,_request,response)}}return response}send(){return assert(this.#signal==null,"request already sent","UNSUPPORTED_O\
PERATION",{operation:"fetchRequest.send"}),this.#signal=new FetchCancelSignal(this),this.#send(0,getTime()+this.timeout,
0,this,new FetchResponse(0,"",{},null,this))}cancel(){assert(this.#signal!=null,"request has not been sent","UNSUPPORTED\
_OPERATION",{operation:"fetchRequest.cancel"});let signal=fetchSignals.get(this);if(!signal)throw new Error("missing sig\
nal; should not happen");signal()}redirect(location){let current=this.url.split(":")[0].toLowerCase(),target=location.split(
":")[0].toLowerCase();assert((current!=="https"||target!=="http")&&location.match(/^https?:/),"unsupported redirect","UN\
SUPPORTED_OPERATION",{operation:`redirect(${this.method} ${JSON.stringify(this.url)} => ${JSON.stringify(location)})`});
let req=new _FetchRequest(location);return req.method=this.method,req.allowGzip=this.allowGzip,req.timeout=this.timeout,
req.#headers=Object.assign({},this.#headers),this.#body&&(req.#body=new Uint8Array(this.#body)),req.#bodyType=this.#bodyType,
req}clone(){let clone=new _FetchRequest(this.url);return clone.#method=this.#method,this.#body&&(clone.#body=this.#body),
clone.#bodyType=this.#bodyType,clone.#headers=Object.assign({},this.#headers),clone.#creds=this.#creds,this.allowGzip&&(clone.
allowGzip=!0),clone.timeout=this.timeout,this.allowInsecureAuthentication&&(clone.allowInsecureAuthentication=!0),clone.#preflight=
this.#preflight,clone.#process=this.#process,clone.#retry=this.#retry,clone.#throttle=Object.assign({},this.#throttle),clone.#getUrlFunc=
this.#getUrlFunc,clone}static lockConfig(){locked=!0}static getGateway(scheme){return Gateways[scheme.toLowerCase()]||null}static registerGateway(scheme,func){
if(scheme=scheme.toLowerCase(),scheme==="http"||scheme==="https")throw new Error(`cannot intercept ${scheme}; use regist\
erGetUrl`);if(locked)throw new Error("gateways locked");Gateways[scheme]=func}static registerGetUrl(getUrl2){if(locked)throw new Error(
"gateways locked");defaultGetUrlFunc=getUrl2}static createGetUrlFunc(options){return createGetUrl(options)}static createDataGateway(){
return dataGatewayFunc}static createIpfsGatewayFunc(baseUrl){return getIpfsGatewayFunc(baseUrl)}},FetchResponse=class _FetchResponse{static{
__name(this,"FetchResponse")}#statusCode;#statusMessage;#headers;#body;#request;#error;toString(){return`<FetchResponse \
status=${this.statusCode} body=${this.#body?hexlify(this.#body):"null"}>`}get statusCode(){return this.#statusCode}get statusMessage(){
return this.#statusMessage}get headers(){return Object.assign({},this.#headers)}get body(){return this.#body==null?null:
new Uint8Array(this.#body)}get bodyText(){try{return this.#body==null?"":toUtf8String(this.#body)}catch{assert(!1,"respo\
nse body is not valid UTF-8 data","UNSUPPORTED_OPERATION",{operation:"bodyText",info:{response:this}})}}get bodyJson(){try{
return JSON.parse(this.bodyText)}catch{assert(!1,"response body is not valid JSON","UNSUPPORTED_OPERATION",{operation:"b\
odyJson",info:{response:this}})}}[Symbol.iterator](){let headers=this.headers,keys=Object.keys(headers),index=0;return{next:__name(
()=>{if(index<keys.length){let key=keys[index++];return{value:[key,headers[key]],done:!1}}return{value:void 0,done:!0}},
"next")}}constructor(statusCode,statusMessage,headers,body,request){this.#statusCode=statusCode,this.#statusMessage=statusMessage,
this.#headers=Object.keys(headers).reduce((accum,k)=>(accum[k.toLowerCase()]=String(headers[k]),accum),{}),this.#body=body==
null?null:new Uint8Array(body),this.#request=request||null,this.#error={message:""}}makeServerError(message,error){let statusMessage;
message?statusMessage=`CLIENT ESCALATED SERVER ERROR (${this.statusCode} ${this.statusMessage}; ${message})`:(message=`${this.
statusCode} ${this.statusMessage}`,statusMessage=`CLIENT ESCALATED SERVER ERROR (${message})`);let response=new _FetchResponse(
599,statusMessage,this.headers,this.body,this.#request||void 0);return response.#error={message,error},response}throwThrottleError(message,stall6){
stall6==null?stall6=-1:assertArgument(Number.isInteger(stall6)&&stall6>=0,"invalid stall timeout","stall",stall6);let error=new Error(
message||"throttling requests");throw defineProperties(error,{stall:stall6,throttle:!0}),error}getHeader(key){return this.
headers[key.toLowerCase()]}hasBody(){return this.#body!=null}get request(){return this.#request}ok(){return this.#error.
message===""&&this.statusCode>=200&&this.statusCode<300}assertOk(){if(this.ok())return;let{message,error}=this.#error;message===
""&&(message=`server response ${this.statusCode} ${this.statusMessage}`);let requestUrl=null;this.request&&(requestUrl=this.
request.url);let responseBody=null;try{this.#body&&(responseBody=toUtf8String(this.#body))}catch{}assert(!1,message,"SER\
VER_ERROR",{request:this.request||"unknown request",response:this,error,info:{requestUrl,responseBody,responseStatus:`${this.
statusCode} ${this.statusMessage}`}})}};function getTime(){return new Date().getTime()}__name(getTime,"getTime");function unpercent(value){
return toUtf8Bytes(value.replace(/%([0-9a-f][0-9a-f])/gi,(all,code)=>String.fromCharCode(parseInt(code,16))))}__name(unpercent,
"unpercent");function wait(delay){return new Promise(resolve=>setTimeout(resolve,delay))}__name(wait,"wait");var BN_N1=BigInt(-1),BN_03=BigInt(0),BN_12=BigInt(1),BN_5=BigInt(5),_guard={},Zeros="0000";for(;Zeros.length<80;)Zeros+=
Zeros;function getTens(decimals){let result=Zeros;for(;result.length<decimals;)result+=result;return BigInt("1"+result.substring(
0,decimals))}__name(getTens,"getTens");function checkValue(val,format,safeOp){let width=BigInt(format.width);if(format.signed){
let limit=BN_12<<width-BN_12;assert(safeOp==null||val>=-limit&&val<limit,"overflow","NUMERIC_FAULT",{operation:safeOp,fault:"\
overflow",value:val}),val>BN_03?val=fromTwos(mask(val,width),width):val=-fromTwos(mask(-val,width),width)}else{let limit=BN_12<<
width;assert(safeOp==null||val>=0&&val<limit,"overflow","NUMERIC_FAULT",{operation:safeOp,fault:"overflow",value:val}),val=
(val%limit+limit)%limit&limit-BN_12}return val}__name(checkValue,"checkValue");function getFormat(value){typeof value=="\
number"&&(value=`fixed128x${value}`);let signed2=!0,width=128,decimals=18;if(typeof value=="string"){if(value!=="fixed")
if(value==="ufixed")signed2=!1;else{let match=value.match(/^(u?)fixed([0-9]+)x([0-9]+)$/);assertArgument(match,"invalid \
fixed format","format",value),signed2=match[1]!=="u",width=parseInt(match[2]),decimals=parseInt(match[3])}}else if(value){
let v=value,check=__name((key,type,defaultValue)=>v[key]==null?defaultValue:(assertArgument(typeof v[key]===type,"invali\
d fixed format ("+key+" not "+type+")","format."+key,v[key]),v[key]),"check");signed2=check("signed","boolean",signed2),
width=check("width","number",width),decimals=check("decimals","number",decimals)}assertArgument(width%8===0,"invalid Fix\
edNumber width (not byte aligned)","format.width",width),assertArgument(decimals<=80,"invalid FixedNumber decimals (too \
large)","format.decimals",decimals);let name=(signed2?"":"u")+"fixed"+String(width)+"x"+String(decimals);return{signed:signed2,
width,decimals,name}}__name(getFormat,"getFormat");function toString(val,decimals){let negative="";val<BN_03&&(negative=
"-",val*=BN_N1);let str=val.toString();if(decimals===0)return negative+str;for(;str.length<=decimals;)str=Zeros+str;let index=str.
length-decimals;for(str=str.substring(0,index)+"."+str.substring(index);str[0]==="0"&&str[1]!==".";)str=str.substring(1);
for(;str[str.length-1]==="0"&&str[str.length-2]!==".";)str=str.substring(0,str.length-1);return negative+str}__name(toString,
"toString");var FixedNumber=class _FixedNumber{static{__name(this,"FixedNumber")}format;#format;#val;#tens;_value;constructor(guard,value,format){
assertPrivate(guard,_guard,"FixedNumber"),this.#val=value,this.#format=format;let _value=toString(value,format.decimals);
defineProperties(this,{format:format.name,_value}),this.#tens=getTens(format.decimals)}get signed(){return this.#format.
signed}get width(){return this.#format.width}get decimals(){return this.#format.decimals}get value(){return this.#val}#checkFormat(other){
assertArgument(this.format===other.format,"incompatible format; use fixedNumber.toFormat","other",other)}#checkValue(val,safeOp){
return val=checkValue(val,this.#format,safeOp),new _FixedNumber(_guard,val,this.#format)}#add(o,safeOp){return this.#checkFormat(
o),this.#checkValue(this.#val+o.#val,safeOp)}addUnsafe(other){return this.#add(other)}add(other){return this.#add(other,
"add")}#sub(o,safeOp){return this.#checkFormat(o),this.#checkValue(this.#val-o.#val,safeOp)}subUnsafe(other){return this.#sub(
other)}sub(other){return this.#sub(other,"sub")}#mul(o,safeOp){return this.#checkFormat(o),this.#checkValue(this.#val*o.#val/
this.#tens,safeOp)}mulUnsafe(other){return this.#mul(other)}mul(other){return this.#mul(other,"mul")}mulSignal(other){this.#checkFormat(
other);let value=this.#val*other.#val;return assert(value%this.#tens===BN_03,"precision lost during signalling mul","NUM\
ERIC_FAULT",{operation:"mulSignal",fault:"underflow",value:this}),this.#checkValue(value/this.#tens,"mulSignal")}#div(o,safeOp){
return assert(o.#val!==BN_03,"division by zero","NUMERIC_FAULT",{operation:"div",fault:"divide-by-zero",value:this}),this.#checkFormat(
o),this.#checkValue(this.#val*this.#tens/o.#val,safeOp)}divUnsafe(other){return this.#div(other)}div(other){return this.#div(
other,"div")}divSignal(other){assert(other.#val!==BN_03,"division by zero","NUMERIC_FAULT",{operation:"div",fault:"divid\
e-by-zero",value:this}),this.#checkFormat(other);let value=this.#val*this.#tens;return assert(value%other.#val===BN_03,"\
precision lost during signalling div","NUMERIC_FAULT",{operation:"divSignal",fault:"underflow",value:this}),this.#checkValue(
value/other.#val,"divSignal")}cmp(other){let a=this.value,b2=other.value,delta=this.decimals-other.decimals;return delta>
0?b2*=getTens(delta):delta<0&&(a*=getTens(-delta)),a<b2?-1:a>b2?1:0}eq(other){return this.cmp(other)===0}lt(other){return this.
cmp(other)<0}lte(other){return this.cmp(other)<=0}gt(other){return this.cmp(other)>0}gte(other){return this.cmp(other)>=
0}floor(){let val=this.#val;return this.#val<BN_03&&(val-=this.#tens-BN_12),val=this.#val/this.#tens*this.#tens,this.#checkValue(
val,"floor")}ceiling(){let val=this.#val;return this.#val>BN_03&&(val+=this.#tens-BN_12),val=this.#val/this.#tens*this.#tens,
this.#checkValue(val,"ceiling")}round(decimals){if(decimals==null&&(decimals=0),decimals>=this.decimals)return this;let delta=this.
decimals-decimals,bump=BN_5*getTens(delta-1),value=this.value+bump,tens=getTens(delta);return value=value/tens*tens,checkValue(
value,this.#format,"round"),new _FixedNumber(_guard,value,this.#format)}isZero(){return this.#val===BN_03}isNegative(){return this.#val<
BN_03}toString(){return this._value}toUnsafeFloat(){return parseFloat(this.toString())}toFormat(format){return _FixedNumber.
fromString(this.toString(),format)}static fromValue(_value,_decimals,_format){let decimals=_decimals==null?0:getNumber(_decimals),
format=getFormat(_format),value=getBigInt(_value,"value"),delta=decimals-format.decimals;if(delta>0){let tens=getTens(delta);
assert(value%tens===BN_03,"value loses precision for format","NUMERIC_FAULT",{operation:"fromValue",fault:"underflow",value:_value}),
value/=tens}else delta<0&&(value*=getTens(-delta));return checkValue(value,format,"fromValue"),new _FixedNumber(_guard,value,
format)}static fromString(_value,_format){let match=_value.match(/^(-?)([0-9]*)\.?([0-9]*)$/);assertArgument(match&&match[2].
length+match[3].length>0,"invalid FixedNumber string value","value",_value);let format=getFormat(_format),whole=match[2]||
"0",decimal=match[3]||"";for(;decimal.length<format.decimals;)decimal+=Zeros;assert(decimal.substring(format.decimals).match(
/^0*$/),"too many decimals for format","NUMERIC_FAULT",{operation:"fromString",fault:"underflow",value:_value}),decimal=
decimal.substring(0,format.decimals);let value=BigInt(match[1]+whole+decimal);return checkValue(value,format,"fromString"),
new _FixedNumber(_guard,value,format)}static fromBytes(_value,_format){let value=toBigInt(getBytes(_value,"value")),format=getFormat(
_format);return format.signed&&(value=fromTwos(value,format.width)),checkValue(value,format,"fromBytes"),new _FixedNumber(
_guard,value,format)}};function hexlifyByte(value){let result=value.toString(16);for(;result.length<2;)result="0"+result;return"0x"+result}__name(
hexlifyByte,"hexlifyByte");function unarrayifyInteger(data,offset,length){let result=0;for(let i=0;i<length;i++)result=result*
256+data[offset+i];return result}__name(unarrayifyInteger,"unarrayifyInteger");function _decodeChildren(data,offset,childOffset,length){
let result=[];for(;childOffset<offset+1+length;){let decoded=_decode(data,childOffset);result.push(decoded.result),childOffset+=
decoded.consumed,assert(childOffset<=offset+1+length,"child data too short","BUFFER_OVERRUN",{buffer:data,length,offset})}
return{consumed:1+length,result}}__name(_decodeChildren,"_decodeChildren");function _decode(data,offset){assert(data.length!==
0,"data too short","BUFFER_OVERRUN",{buffer:data,length:0,offset:1});let checkOffset=__name(offset2=>{assert(offset2<=data.
length,"data short segment too short","BUFFER_OVERRUN",{buffer:data,length:data.length,offset:offset2})},"checkOffset");
if(data[offset]>=248){let lengthLength=data[offset]-247;checkOffset(offset+1+lengthLength);let length=unarrayifyInteger(
data,offset+1,lengthLength);return checkOffset(offset+1+lengthLength+length),_decodeChildren(data,offset,offset+1+lengthLength,
lengthLength+length)}else if(data[offset]>=192){let length=data[offset]-192;return checkOffset(offset+1+length),_decodeChildren(
data,offset,offset+1,length)}else if(data[offset]>=184){let lengthLength=data[offset]-183;checkOffset(offset+1+lengthLength);
let length=unarrayifyInteger(data,offset+1,lengthLength);checkOffset(offset+1+lengthLength+length);let result=hexlify(data.
slice(offset+1+lengthLength,offset+1+lengthLength+length));return{consumed:1+lengthLength+length,result}}else if(data[offset]>=
128){let length=data[offset]-128;checkOffset(offset+1+length);let result=hexlify(data.slice(offset+1,offset+1+length));return{
consumed:1+length,result}}return{consumed:1,result:hexlifyByte(data[offset])}}__name(_decode,"_decode");function decodeRlp(_data){
let data=getBytes(_data,"data"),decoded=_decode(data,0);return assertArgument(decoded.consumed===data.length,"unexpected\
 junk after rlp payload","data",_data),decoded.result}__name(decodeRlp,"decodeRlp");function arrayifyInteger(value){let result=[];for(;value;)result.unshift(value&255),value>>=8;return result}__name(arrayifyInteger,
"arrayifyInteger");function _encode(object2){if(Array.isArray(object2)){let payload=[];if(object2.forEach(function(child){
payload=payload.concat(_encode(child))}),payload.length<=55)return payload.unshift(192+payload.length),payload;let length2=arrayifyInteger(
payload.length);return length2.unshift(247+length2.length),length2.concat(payload)}let data=Array.prototype.slice.call(getBytes(
object2,"object"));if(data.length===1&&data[0]<=127)return data;if(data.length<=55)return data.unshift(128+data.length),
data;let length=arrayifyInteger(data.length);return length.unshift(183+length.length),length.concat(data)}__name(_encode,
"_encode");var nibbles="0123456789abcdef";function encodeRlp(object2){let result="0x";for(let v of _encode(object2))result+=
nibbles[v>>4],result+=nibbles[v&15];return result}__name(encodeRlp,"encodeRlp");var names=["wei","kwei","mwei","gwei","szabo","finney","ether"];function formatUnits(value,unit){let decimals=18;if(typeof unit==
"string"){let index=names.indexOf(unit);assertArgument(index>=0,"invalid unit","unit",unit),decimals=3*index}else unit!=
null&&(decimals=getNumber(unit,"unit"));return FixedNumber.fromValue(value,decimals,{decimals,width:512}).toString()}__name(
formatUnits,"formatUnits");function parseUnits(value,unit){assertArgument(typeof value=="string","value must be a string",
"value",value);let decimals=18;if(typeof unit=="string"){let index=names.indexOf(unit);assertArgument(index>=0,"invalid \
unit","unit",unit),decimals=3*index}else unit!=null&&(decimals=getNumber(unit,"unit"));return FixedNumber.fromString(value,
{decimals,width:512}).value}__name(parseUnits,"parseUnits");function formatEther(wei){return formatUnits(wei,18)}__name(
formatEther,"formatEther");function parseEther(ether){return parseUnits(ether,18)}__name(parseEther,"parseEther");function uuidV4(randomBytes3){let bytes2=getBytes(randomBytes3,"randomBytes");bytes2[6]=bytes2[6]&15|64,bytes2[8]=bytes2[8]&
63|128;let value=hexlify(bytes2);return[value.substring(2,10),value.substring(10,14),value.substring(14,18),value.substring(
18,22),value.substring(22,34)].join("-")}__name(uuidV4,"uuidV4");var WordSize=32,Padding=new Uint8Array(WordSize),passProperties=["then"],_guard2={},resultNames=new WeakMap;function getNames(result){
return resultNames.get(result)}__name(getNames,"getNames");function setNames(result,names2){resultNames.set(result,names2)}
__name(setNames,"setNames");function throwError(name,error){let wrapped=new Error(`deferred error during ABI decoding tr\
iggered accessing ${name}`);throw wrapped.error=error,wrapped}__name(throwError,"throwError");function toObject(names2,items,deep){
return names2.indexOf(null)>=0?items.map((item,index)=>item instanceof Result?toObject(getNames(item),item,deep):item):names2.
reduce((accum,name,index)=>{let item=items.getValue(name);return name in accum||(deep&&item instanceof Result&&(item=toObject(
getNames(item),item,deep)),accum[name]=item),accum},{})}__name(toObject,"toObject");var Result=class _Result extends Array{static{
__name(this,"Result")}#names;constructor(...args){let guard=args[0],items=args[1],names2=(args[2]||[]).slice(),wrap=!0;guard!==
_guard2&&(items=args,names2=[],wrap=!1),super(items.length),items.forEach((item,index)=>{this[index]=item});let nameCounts=names2.
reduce((accum,name)=>(typeof name=="string"&&accum.set(name,(accum.get(name)||0)+1),accum),new Map);if(setNames(this,Object.
freeze(items.map((item,index)=>{let name=names2[index];return name!=null&&nameCounts.get(name)===1?name:null}))),this.#names=
[],this.#names==null&&this.#names,!wrap)return;Object.freeze(this);let proxy=new Proxy(this,{get:__name((target,prop,receiver)=>{
if(typeof prop=="string"){if(prop.match(/^[0-9]+$/)){let index=getNumber(prop,"%index");if(index<0||index>=this.length)throw new RangeError(
"out of result range");let item=target[index];return item instanceof Error&&throwError(`index ${index}`,item),item}if(passProperties.
indexOf(prop)>=0)return Reflect.get(target,prop,receiver);let value=target[prop];if(value instanceof Function)return function(...args2){
return value.apply(this===receiver?target:this,args2)};if(!(prop in target))return target.getValue.apply(this===receiver?
target:this,[prop])}return Reflect.get(target,prop,receiver)},"get")});return setNames(proxy,getNames(this)),proxy}toArray(deep){
let result=[];return this.forEach((item,index)=>{item instanceof Error&&throwError(`index ${index}`,item),deep&&item instanceof
_Result&&(item=item.toArray(deep)),result.push(item)}),result}toObject(deep){let names2=getNames(this);return names2.reduce(
(accum,name,index)=>(assert(name!=null,`value at index ${index} unnamed`,"UNSUPPORTED_OPERATION",{operation:"toObject()"}),
toObject(names2,this,deep)),{})}slice(start,end){start==null&&(start=0),start<0&&(start+=this.length,start<0&&(start=0)),
end==null&&(end=this.length),end<0&&(end+=this.length,end<0&&(end=0)),end>this.length&&(end=this.length);let _names=getNames(
this),result=[],names2=[];for(let i=start;i<end;i++)result.push(this[i]),names2.push(_names[i]);return new _Result(_guard2,
result,names2)}filter(callback,thisArg){let _names=getNames(this),result=[],names2=[];for(let i=0;i<this.length;i++){let item=this[i];
item instanceof Error&&throwError(`index ${i}`,item),callback.call(thisArg,item,i,this)&&(result.push(item),names2.push(
_names[i]))}return new _Result(_guard2,result,names2)}map(callback,thisArg){let result=[];for(let i=0;i<this.length;i++){
let item=this[i];item instanceof Error&&throwError(`index ${i}`,item),result.push(callback.call(thisArg,item,i,this))}return result}getValue(name){
let index=getNames(this).indexOf(name);if(index===-1)return;let value=this[index];return value instanceof Error&&throwError(
`property ${JSON.stringify(name)}`,value.error),value}static fromItems(items,keys){return new _Result(_guard2,items,keys)}};
function checkResultErrors(result){let errors=[],checkErrors=__name(function(path,object2){if(Array.isArray(object2))for(let key in object2){
let childPath=path.slice();childPath.push(key);try{checkErrors(childPath,object2[key])}catch(error){errors.push({path:childPath,
error})}}},"checkErrors");return checkErrors([],result),errors}__name(checkResultErrors,"checkResultErrors");function getValue(value){
let bytes2=toBeArray(value);return assert(bytes2.length<=WordSize,"value out-of-bounds","BUFFER_OVERRUN",{buffer:bytes2,
length:WordSize,offset:bytes2.length}),bytes2.length!==WordSize&&(bytes2=getBytesCopy(concat([Padding.slice(bytes2.length%
WordSize),bytes2]))),bytes2}__name(getValue,"getValue");var Coder=class{static{__name(this,"Coder")}name;type;localName;dynamic;constructor(name,type,localName,dynamic){
defineProperties(this,{name,type,localName,dynamic},{name:"string",type:"string",localName:"string",dynamic:"boolean"})}_throwError(message,value){
assertArgument(!1,message,this.localName,value)}},Writer=class{static{__name(this,"Writer")}#data;#dataLength;constructor(){
this.#data=[],this.#dataLength=0}get data(){return concat(this.#data)}get length(){return this.#dataLength}#writeData(data){
return this.#data.push(data),this.#dataLength+=data.length,data.length}appendWriter(writer){return this.#writeData(getBytesCopy(
writer.data))}writeBytes(value){let bytes2=getBytesCopy(value),paddingOffset=bytes2.length%WordSize;return paddingOffset&&
(bytes2=getBytesCopy(concat([bytes2,Padding.slice(paddingOffset)]))),this.#writeData(bytes2)}writeValue(value){return this.#writeData(
getValue(value))}writeUpdatableValue(){let offset=this.#data.length;return this.#data.push(Padding),this.#dataLength+=WordSize,
value=>{this.#data[offset]=getValue(value)}}},Reader=class _Reader{static{__name(this,"Reader")}allowLoose;#data;#offset;#bytesRead;#parent;#maxInflation;constructor(data,allowLoose,maxInflation){
defineProperties(this,{allowLoose:!!allowLoose}),this.#data=getBytesCopy(data),this.#bytesRead=0,this.#parent=null,this.#maxInflation=
maxInflation??1024,this.#offset=0}get data(){return hexlify(this.#data)}get dataLength(){return this.#data.length}get consumed(){
return this.#offset}get bytes(){return new Uint8Array(this.#data)}#incrementBytesRead(count2){if(this.#parent)return this.#parent.#incrementBytesRead(
count2);this.#bytesRead+=count2,assert(this.#maxInflation<1||this.#bytesRead<=this.#maxInflation*this.dataLength,`compre\
ssed ABI data exceeds inflation ratio of ${this.#maxInflation} ( see: https://github.com/ethers-io/ethers.js/issues/4537\
 )`,"BUFFER_OVERRUN",{buffer:getBytesCopy(this.#data),offset:this.#offset,length:count2,info:{bytesRead:this.#bytesRead,
dataLength:this.dataLength}})}#peekBytes(offset,length,loose){let alignedLength=Math.ceil(length/WordSize)*WordSize;return this.#offset+
alignedLength>this.#data.length&&(this.allowLoose&&loose&&this.#offset+length<=this.#data.length?alignedLength=length:assert(
!1,"data out-of-bounds","BUFFER_OVERRUN",{buffer:getBytesCopy(this.#data),length:this.#data.length,offset:this.#offset+alignedLength})),
this.#data.slice(this.#offset,this.#offset+alignedLength)}subReader(offset){let reader=new _Reader(this.#data.slice(this.#offset+
offset),this.allowLoose,this.#maxInflation);return reader.#parent=this,reader}readBytes(length,loose){let bytes2=this.#peekBytes(
0,length,!!loose);return this.#incrementBytesRead(length),this.#offset+=bytes2.length,bytes2.slice(0,length)}readValue(){
return toBigInt(this.readBytes(WordSize))}readIndex(){return toNumber(this.readBytes(WordSize))}};var{publicKey,signRecoverable,parsePoint,addPoints,multiplyPoint}=natives,{isSafeInteger}=Number,HASHES=Object.freeze({__proto__:null,
sha256:"sha256",sha512:"sha512"}),hashName=__name(name=>{if(typeof name!="string"||HASHES[name]===void 0)throw new TypeError(
"no such hash");return HASHES[name]},"hashName"),count=__name(value=>{if(!isSafeInteger(value)||value<0)throw new TypeError(
"a count is a whole number");return`${value}`},"count"),certain=__name(answer=>{if(answer==="")throw new Error("the hash\
 could not be computed");return answer},"certain"),recover=__name((digest2,compact,recovery)=>natives.recover(digest2,compact,
count(recovery)),"recover"),keccak256=__name(data=>certain(natives.keccak256(data)),"keccak256"),digest=__name((name,data)=>certain(
natives.digest(hashName(name),data)),"digest"),hmac=__name((name,key,data)=>certain(natives.hmac(hashName(name),key,data)),
"hmac"),pbkdf2=__name((name,password,salt,iterations,length)=>certain(natives.pbkdf2(hashName(name),password,salt,count(
iterations),count(length))),"pbkdf2"),uncurry=Function.prototype.bind.bind(Function.prototype.call),toHex=uncurry(Uint8Array.
prototype.toHex),fromHex=Uint8Array.fromHex.bind(Uint8Array);var Gathered=class{static{__name(this,"Gathered")}#parts=[];#answer;constructor(answer){this.#answer=answer}update(bytes2){
return this.#parts.push(toHex(bytes2)),this}digest(){return fromHex(this.#answer(this.#parts.join("")))}},hash=__name(name=>Object.
assign(bytes2=>fromHex(digest(name,toHex(bytes2))),{algorithm:name,create:__name(()=>new Gathered(text=>digest(name,text)),
"create")}),"hash"),keccak_256=__name(bytes2=>fromHex(keccak256(toHex(bytes2))),"keccak_256"),sha256=hash("sha256"),sha512=hash(
"sha512"),hmac2={create:__name((algorithm,key)=>{let keyText=toHex(key);return new Gathered(text=>hmac(algorithm.algorithm,
keyText,text))},"create")},pbkdf22=__name((algorithm,password,salt,{c,dkLen})=>fromHex(pbkdf2(algorithm.algorithm,toHex(
password),toHex(salt),c,dkLen)),"pbkdf2");function getGlobal(){if(typeof globalThis<"u")return globalThis;if(typeof window<"u")return window;if(typeof globalThis<
"u")return globalThis;throw new Error("unable to locate global object")}__name(getGlobal,"getGlobal");var anyGlobal=getGlobal(),
crypto=anyGlobal.crypto||anyGlobal.msCrypto;function createHash(algo){switch(algo){case"sha256":return sha256.create();case"\
sha512":return sha512.create()}assertArgument(!1,"invalid hashing algorithm name","algorithm",algo)}__name(createHash,"c\
reateHash");function createHmac(_algo,key){let algo={sha256,sha512}[_algo];return assertArgument(algo!=null,"invalid hma\
c algorithm","algorithm",_algo),hmac2.create(algo,key)}__name(createHmac,"createHmac");function pbkdf2Sync(password,salt,iterations,keylen,_algo){
let algo={sha256,sha512}[_algo];return assertArgument(algo!=null,"invalid pbkdf2 algorithm","algorithm",_algo),pbkdf22(algo,
password,salt,{c:iterations,dkLen:keylen})}__name(pbkdf2Sync,"pbkdf2Sync");function randomBytes(length){assert(crypto!=null,
"platform does not support secure random numbers","UNSUPPORTED_OPERATION",{operation:"randomBytes"}),assertArgument(Number.
isInteger(length)&&length>0&&length<=1024,"invalid length","length",length);let result=new Uint8Array(length);return crypto.
getRandomValues(result),result}__name(randomBytes,"randomBytes");var locked2=!1,_computeHmac=__name(function(algorithm,key,data){return createHmac(algorithm,key).update(data).digest()},
"_computeHmac"),__computeHmac=_computeHmac;function computeHmac(algorithm,_key,_data){let key=getBytes(_key,"key"),data=getBytes(
_data,"data");return hexlify(__computeHmac(algorithm,key,data))}__name(computeHmac,"computeHmac");computeHmac._=_computeHmac;
computeHmac.lock=function(){locked2=!0};computeHmac.register=function(func){if(locked2)throw new Error("computeHmac is l\
ocked");__computeHmac=func};Object.freeze(computeHmac);var locked3=!1,_keccak256=__name(function(data){return keccak_256(data)},"_keccak256"),__keccak256=_keccak256;function keccak2562(_data){
let data=getBytes(_data,"data");return hexlify(__keccak256(data))}__name(keccak2562,"keccak256");keccak2562._=_keccak256;
keccak2562.lock=function(){locked3=!0};keccak2562.register=function(func){if(locked3)throw new TypeError("keccak256 is l\
ocked");__keccak256=func};Object.freeze(keccak2562);function number(n2){if(!Number.isSafeInteger(n2)||n2<0)throw new Error(`Wrong positive integer: ${n2}`)}__name(number,"n\
umber");function bytes(b2,...lengths){if(!(b2 instanceof Uint8Array))throw new Error("Expected Uint8Array");if(lengths.length>0&&
!lengths.includes(b2.length))throw new Error(`Expected Uint8Array of length ${lengths}, not of length=${b2.length}`)}__name(
bytes,"bytes");function hash2(hash3){if(typeof hash3!="function"||typeof hash3.create!="function")throw new Error("Hash \
should be wrapped by utils.wrapConstructor");number(hash3.outputLen),number(hash3.blockLen)}__name(hash2,"hash");function exists(instance,checkFinished=!0){
if(instance.destroyed)throw new Error("Hash instance has been destroyed");if(checkFinished&&instance.finished)throw new Error(
"Hash#digest() has already been called")}__name(exists,"exists");function output(out,instance){bytes(out);let min=instance.
outputLen;if(out.length<min)throw new Error(`digestInto() expects output buffer of length at least ${min}`)}__name(output,
"output");var u8a=__name(a=>a instanceof Uint8Array,"u8a");var u32=__name(arr=>new Uint32Array(arr.buffer,arr.byteOffset,Math.floor(arr.byteLength/4)),"u32"),createView=__name(arr=>new DataView(
arr.buffer,arr.byteOffset,arr.byteLength),"createView"),rotr=__name((word,shift)=>word<<32-shift|word>>>shift,"rotr"),isLE=new Uint8Array(
new Uint32Array([287454020]).buffer)[0]===68;if(!isLE)throw new Error("Non little-endian hardware is not supported");var nextTick=__name(async()=>{},"nextTick");async function asyncLoop(iters,tick,cb){let ts=Date.now();for(let i=0;i<iters;i++){
cb(i);let diff=Date.now()-ts;diff>=0&&diff<tick||(await nextTick(),ts+=diff)}}__name(asyncLoop,"asyncLoop");function utf8ToBytes(str){
if(typeof str!="string")throw new Error(`utf8ToBytes expected string, got ${typeof str}`);return new Uint8Array(new TextEncoder().
encode(str))}__name(utf8ToBytes,"utf8ToBytes");function toBytes(data){if(typeof data=="string"&&(data=utf8ToBytes(data)),
!u8a(data))throw new Error(`expected Uint8Array, got ${typeof data}`);return data}__name(toBytes,"toBytes");var Hash=class{static{__name(this,"Hash")}clone(){return this._cloneInto()}},toStr={}.toString;function checkOpts(defaults,opts){
if(opts!==void 0&&toStr.call(opts)!=="[object Object]")throw new Error("Options should be object or undefined");return Object.
assign(defaults,opts)}__name(checkOpts,"checkOpts");function wrapConstructor(hashCons){let hashC=__name(msg=>hashCons().
update(toBytes(msg)).digest(),"hashC"),tmp=hashCons();return hashC.outputLen=tmp.outputLen,hashC.blockLen=tmp.blockLen,hashC.
create=()=>hashCons(),hashC}__name(wrapConstructor,"wrapConstructor");function setBigUint64(view,byteOffset,value,isLE2){if(typeof view.setBigUint64=="function")return view.setBigUint64(byteOffset,
value,isLE2);let _32n=BigInt(32),_u32_max=BigInt(4294967295),wh=Number(value>>_32n&_u32_max),wl=Number(value&_u32_max),h=isLE2?
4:0,l=isLE2?0:4;view.setUint32(byteOffset+h,wh,isLE2),view.setUint32(byteOffset+l,wl,isLE2)}__name(setBigUint64,"setBigU\
int64");var SHA2=class extends Hash{static{__name(this,"SHA2")}constructor(blockLen,outputLen,padOffset,isLE2){super(),this.
blockLen=blockLen,this.outputLen=outputLen,this.padOffset=padOffset,this.isLE=isLE2,this.finished=!1,this.length=0,this.
pos=0,this.destroyed=!1,this.buffer=new Uint8Array(blockLen),this.view=createView(this.buffer)}update(data){exists(this);
let{view,buffer,blockLen}=this;data=toBytes(data);let len=data.length;for(let pos=0;pos<len;){let take=Math.min(blockLen-
this.pos,len-pos);if(take===blockLen){let dataView=createView(data);for(;blockLen<=len-pos;pos+=blockLen)this.process(dataView,
pos);continue}buffer.set(data.subarray(pos,pos+take),this.pos),this.pos+=take,pos+=take,this.pos===blockLen&&(this.process(
view,0),this.pos=0)}return this.length+=data.length,this.roundClean(),this}digestInto(out){exists(this),output(out,this),
this.finished=!0;let{buffer,view,blockLen,isLE:isLE2}=this,{pos}=this;buffer[pos++]=128,this.buffer.subarray(pos).fill(0),
this.padOffset>blockLen-pos&&(this.process(view,0),pos=0);for(let i=pos;i<blockLen;i++)buffer[i]=0;setBigUint64(view,blockLen-
8,BigInt(this.length*8),isLE2),this.process(view,0);let oview=createView(out),len=this.outputLen;if(len%4)throw new Error(
"_sha2: outputLen should be aligned to 32bit");let outLen=len/4,state=this.get();if(outLen>state.length)throw new Error(
"_sha2: outputLen bigger than state");for(let i=0;i<outLen;i++)oview.setUint32(4*i,state[i],isLE2)}digest(){let{buffer,outputLen}=this;
this.digestInto(buffer);let res=buffer.slice(0,outputLen);return this.destroy(),res}_cloneInto(to){to||(to=new this.constructor),
to.set(...this.get());let{blockLen,buffer,length,finished,destroyed,pos}=this;return to.length=length,to.pos=pos,to.finished=
finished,to.destroyed=destroyed,length%blockLen&&to.buffer.set(buffer),to}};var Rho=new Uint8Array([7,4,13,1,10,6,15,3,12,0,9,5,2,14,11,8]),Id=Uint8Array.from({length:16},(_,i)=>i),Pi=Id.map(i=>(9*
i+5)%16),idxL=[Id],idxR=[Pi];for(let i=0;i<4;i++)for(let j of[idxL,idxR])j.push(j[i].map(k=>Rho[k]));var shifts=[[11,14,
15,12,5,8,7,9,11,13,14,15,6,7,9,8],[12,13,11,15,6,9,9,7,12,15,11,13,7,8,7,7],[13,15,14,11,7,7,6,8,13,14,13,12,5,5,6,9],[
14,11,12,14,8,6,5,5,15,12,15,14,9,9,8,6],[15,12,13,13,9,5,8,6,14,11,12,11,8,6,5,5]].map(i=>new Uint8Array(i)),shiftsL=idxL.
map((idx,i)=>idx.map(j=>shifts[i][j])),shiftsR=idxR.map((idx,i)=>idx.map(j=>shifts[i][j])),Kl=new Uint32Array([0,1518500249,
1859775393,2400959708,2840853838]),Kr=new Uint32Array([1352829926,1548603684,1836072691,2053994217,0]),rotl=__name((word,shift)=>word<<
shift|word>>>32-shift,"rotl");function f(group,x,y,z){return group===0?x^y^z:group===1?x&y|~x&z:group===2?(x|~y)^z:group===
3?x&z|y&~z:x^(y|~z)}__name(f,"f");var BUF=new Uint32Array(16),RIPEMD160=class extends SHA2{static{__name(this,"RIPEMD160")}constructor(){
super(64,20,8,!0),this.h0=1732584193,this.h1=-271733879,this.h2=-1732584194,this.h3=271733878,this.h4=-1009589776}get(){
let{h0,h1,h2,h3,h4}=this;return[h0,h1,h2,h3,h4]}set(h0,h1,h2,h3,h4){this.h0=h0|0,this.h1=h1|0,this.h2=h2|0,this.h3=h3|0,
this.h4=h4|0}process(view,offset){for(let i=0;i<16;i++,offset+=4)BUF[i]=view.getUint32(offset,!0);let al=this.h0|0,ar=al,
bl=this.h1|0,br=bl,cl=this.h2|0,cr=cl,dl=this.h3|0,dr=dl,el=this.h4|0,er=el;for(let group=0;group<5;group++){let rGroup=4-
group,hbl=Kl[group],hbr=Kr[group],rl=idxL[group],rr=idxR[group],sl=shiftsL[group],sr=shiftsR[group];for(let i=0;i<16;i++){
let tl=rotl(al+f(group,bl,cl,dl)+BUF[rl[i]]+hbl,sl[i])+el|0;al=el,el=dl,dl=rotl(cl,10)|0,cl=bl,bl=tl}for(let i=0;i<16;i++){
let tr=rotl(ar+f(rGroup,br,cr,dr)+BUF[rr[i]]+hbr,sr[i])+er|0;ar=er,er=dr,dr=rotl(cr,10)|0,cr=br,br=tr}}this.set(this.h1+
cl+dr|0,this.h2+dl+er|0,this.h3+el+ar|0,this.h4+al+br|0,this.h0+bl+cr|0)}roundClean(){BUF.fill(0)}destroy(){this.destroyed=
!0,this.buffer.fill(0),this.set(0,0,0,0,0)}},ripemd160=wrapConstructor(()=>new RIPEMD160);var locked4=!1,_ripemd160=__name(function(data){return ripemd160(data)},"_ripemd160"),__ripemd160=_ripemd160;function ripemd1602(_data){
let data=getBytes(_data,"data");return hexlify(__ripemd160(data))}__name(ripemd1602,"ripemd160");ripemd1602._=_ripemd160;
ripemd1602.lock=function(){locked4=!0};ripemd1602.register=function(func){if(locked4)throw new TypeError("ripemd160 is l\
ocked");__ripemd160=func};Object.freeze(ripemd1602);var locked5=!1,_pbkdf2=__name(function(password,salt,iterations,keylen,algo){return pbkdf2Sync(password,salt,iterations,
keylen,algo)},"_pbkdf2"),__pbkdf2=_pbkdf2;function pbkdf23(_password,_salt,iterations,keylen,algo){let password=getBytes(
_password,"password"),salt=getBytes(_salt,"salt");return hexlify(__pbkdf2(password,salt,iterations,keylen,algo))}__name(
pbkdf23,"pbkdf2");pbkdf23._=_pbkdf2;pbkdf23.lock=function(){locked5=!0};pbkdf23.register=function(func){if(locked5)throw new Error(
"pbkdf2 is locked");__pbkdf2=func};Object.freeze(pbkdf23);var locked6=!1,_randomBytes=__name(function(length){return new Uint8Array(randomBytes(length))},"_randomBytes"),__randomBytes=_randomBytes;
function randomBytes2(length){return __randomBytes(length)}__name(randomBytes2,"randomBytes");randomBytes2._=_randomBytes;
randomBytes2.lock=function(){locked6=!0};randomBytes2.register=function(func){if(locked6)throw new Error("randomBytes is\
 locked");__randomBytes=func};Object.freeze(randomBytes2);var Chi=__name((a,b2,c)=>a&b2^~a&c,"Chi"),Maj=__name((a,b2,c)=>a&b2^a&c^b2&c,"Maj"),SHA256_K=new Uint32Array([1116352408,
1899447441,3049323471,3921009573,961987163,1508970993,2453635748,2870763221,3624381080,310598401,607225278,1426881987,1925078388,
2162078206,2614888103,3248222580,3835390401,4022224774,264347078,604807628,770255983,1249150122,1555081692,1996064986,2554220882,
2821834349,2952996808,3210313671,3336571891,3584528711,113926993,338241895,666307205,773529912,1294757372,1396182291,1695183700,
1986661051,2177026350,2456956037,2730485921,2820302411,3259730800,3345764771,3516065817,3600352804,4094571909,275423344,
430227734,506948616,659060556,883997877,958139571,1322822218,1537002063,1747873779,1955562222,2024104815,2227730452,2361852424,
2428436474,2756734187,3204031479,3329325298]),IV=new Uint32Array([1779033703,3144134277,1013904242,2773480762,1359893119,
2600822924,528734635,1541459225]),SHA256_W=new Uint32Array(64),SHA256=class extends SHA2{static{__name(this,"SHA256")}constructor(){
super(64,32,8,!1),this.A=IV[0]|0,this.B=IV[1]|0,this.C=IV[2]|0,this.D=IV[3]|0,this.E=IV[4]|0,this.F=IV[5]|0,this.G=IV[6]|
0,this.H=IV[7]|0}get(){let{A,B,C,D,E,F,G,H}=this;return[A,B,C,D,E,F,G,H]}set(A,B,C,D,E,F,G,H){this.A=A|0,this.B=B|0,this.
C=C|0,this.D=D|0,this.E=E|0,this.F=F|0,this.G=G|0,this.H=H|0}process(view,offset){for(let i=0;i<16;i++,offset+=4)SHA256_W[i]=
view.getUint32(offset,!1);for(let i=16;i<64;i++){let W15=SHA256_W[i-15],W2=SHA256_W[i-2],s0=rotr(W15,7)^rotr(W15,18)^W15>>>
3,s1=rotr(W2,17)^rotr(W2,19)^W2>>>10;SHA256_W[i]=s1+SHA256_W[i-7]+s0+SHA256_W[i-16]|0}let{A,B,C,D,E,F,G,H}=this;for(let i=0;i<
64;i++){let sigma1=rotr(E,6)^rotr(E,11)^rotr(E,25),T13=H+sigma1+Chi(E,F,G)+SHA256_K[i]+SHA256_W[i]|0,T22=(rotr(A,2)^rotr(
A,13)^rotr(A,22))+Maj(A,B,C)|0;H=G,G=F,F=E,E=D+T13|0,D=C,C=B,B=A,A=T13+T22|0}A=A+this.A|0,B=B+this.B|0,C=C+this.C|0,D=D+
this.D|0,E=E+this.E|0,F=F+this.F|0,G=G+this.G|0,H=H+this.H|0,this.set(A,B,C,D,E,F,G,H)}roundClean(){SHA256_W.fill(0)}destroy(){
this.set(0,0,0,0,0,0,0,0),this.buffer.fill(0)}};var sha2562=wrapConstructor(()=>new SHA256);var HMAC=class extends Hash{static{__name(this,"HMAC")}constructor(hash3,_key){super(),this.finished=!1,this.destroyed=!1,
hash2(hash3);let key=toBytes(_key);if(this.iHash=hash3.create(),typeof this.iHash.update!="function")throw new Error("Ex\
pected instance of class which extends utils.Hash");this.blockLen=this.iHash.blockLen,this.outputLen=this.iHash.outputLen;
let blockLen=this.blockLen,pad=new Uint8Array(blockLen);pad.set(key.length>blockLen?hash3.create().update(key).digest():
key);for(let i=0;i<pad.length;i++)pad[i]^=54;this.iHash.update(pad),this.oHash=hash3.create();for(let i=0;i<pad.length;i++)
pad[i]^=106;this.oHash.update(pad),pad.fill(0)}update(buf){return exists(this),this.iHash.update(buf),this}digestInto(out){
exists(this),bytes(out,this.outputLen),this.finished=!0,this.iHash.digestInto(out),this.oHash.update(out),this.oHash.digestInto(
out),this.destroy()}digest(){let out=new Uint8Array(this.oHash.outputLen);return this.digestInto(out),out}_cloneInto(to){
to||(to=Object.create(Object.getPrototypeOf(this),{}));let{oHash,iHash,finished,destroyed,blockLen,outputLen}=this;return to=
to,to.finished=finished,to.destroyed=destroyed,to.blockLen=blockLen,to.outputLen=outputLen,to.oHash=oHash._cloneInto(to.
oHash),to.iHash=iHash._cloneInto(to.iHash),to}destroy(){this.destroyed=!0,this.oHash.destroy(),this.iHash.destroy()}},hmac3=__name(
(hash3,key,message)=>new HMAC(hash3,key).update(message).digest(),"hmac");hmac3.create=(hash3,key)=>new HMAC(hash3,key);function pbkdf2Init(hash3,_password,_salt,_opts){hash2(hash3);let opts=checkOpts({dkLen:32,asyncTick:10},_opts),{c,dkLen,
asyncTick}=opts;if(number(c),number(dkLen),number(asyncTick),c<1)throw new Error("PBKDF2: iterations (c) should be >= 1");
let password=toBytes(_password),salt=toBytes(_salt),DK=new Uint8Array(dkLen),PRF=hmac3.create(hash3,password),PRFSalt=PRF.
_cloneInto().update(salt);return{c,dkLen,asyncTick,DK,PRF,PRFSalt}}__name(pbkdf2Init,"pbkdf2Init");function pbkdf2Output(PRF,PRFSalt,DK,prfW,u){
return PRF.destroy(),PRFSalt.destroy(),prfW&&prfW.destroy(),u.fill(0),DK}__name(pbkdf2Output,"pbkdf2Output");function pbkdf24(hash3,password,salt,opts){
let{c,dkLen,DK,PRF,PRFSalt}=pbkdf2Init(hash3,password,salt,opts),prfW,arr=new Uint8Array(4),view=createView(arr),u=new Uint8Array(
PRF.outputLen);for(let ti=1,pos=0;pos<dkLen;ti++,pos+=PRF.outputLen){let Ti=DK.subarray(pos,pos+PRF.outputLen);view.setInt32(
0,ti,!1),(prfW=PRFSalt._cloneInto(prfW)).update(arr).digestInto(u),Ti.set(u.subarray(0,Ti.length));for(let ui=1;ui<c;ui++){
PRF._cloneInto(prfW).update(u).digestInto(u);for(let i=0;i<Ti.length;i++)Ti[i]^=u[i]}}return pbkdf2Output(PRF,PRFSalt,DK,
prfW,u)}__name(pbkdf24,"pbkdf2");var rotl2=__name((a,b2)=>a<<b2|a>>>32-b2,"rotl");function XorAndSalsa(prev,pi,input,ii,out,oi){let y00=prev[pi++]^input[ii++],
y01=prev[pi++]^input[ii++],y02=prev[pi++]^input[ii++],y03=prev[pi++]^input[ii++],y04=prev[pi++]^input[ii++],y05=prev[pi++]^
input[ii++],y06=prev[pi++]^input[ii++],y07=prev[pi++]^input[ii++],y08=prev[pi++]^input[ii++],y09=prev[pi++]^input[ii++],
y10=prev[pi++]^input[ii++],y11=prev[pi++]^input[ii++],y12=prev[pi++]^input[ii++],y13=prev[pi++]^input[ii++],y14=prev[pi++]^
input[ii++],y15=prev[pi++]^input[ii++],x00=y00,x01=y01,x02=y02,x03=y03,x04=y04,x05=y05,x06=y06,x07=y07,x08=y08,x09=y09,x10=y10,
x11=y11,x12=y12,x13=y13,x14=y14,x15=y15;for(let i=0;i<8;i+=2)x04^=rotl2(x00+x12|0,7),x08^=rotl2(x04+x00|0,9),x12^=rotl2(
x08+x04|0,13),x00^=rotl2(x12+x08|0,18),x09^=rotl2(x05+x01|0,7),x13^=rotl2(x09+x05|0,9),x01^=rotl2(x13+x09|0,13),x05^=rotl2(
x01+x13|0,18),x14^=rotl2(x10+x06|0,7),x02^=rotl2(x14+x10|0,9),x06^=rotl2(x02+x14|0,13),x10^=rotl2(x06+x02|0,18),x03^=rotl2(
x15+x11|0,7),x07^=rotl2(x03+x15|0,9),x11^=rotl2(x07+x03|0,13),x15^=rotl2(x11+x07|0,18),x01^=rotl2(x00+x03|0,7),x02^=rotl2(
x01+x00|0,9),x03^=rotl2(x02+x01|0,13),x00^=rotl2(x03+x02|0,18),x06^=rotl2(x05+x04|0,7),x07^=rotl2(x06+x05|0,9),x04^=rotl2(
x07+x06|0,13),x05^=rotl2(x04+x07|0,18),x11^=rotl2(x10+x09|0,7),x08^=rotl2(x11+x10|0,9),x09^=rotl2(x08+x11|0,13),x10^=rotl2(
x09+x08|0,18),x12^=rotl2(x15+x14|0,7),x13^=rotl2(x12+x15|0,9),x14^=rotl2(x13+x12|0,13),x15^=rotl2(x14+x13|0,18);out[oi++]=
y00+x00|0,out[oi++]=y01+x01|0,out[oi++]=y02+x02|0,out[oi++]=y03+x03|0,out[oi++]=y04+x04|0,out[oi++]=y05+x05|0,out[oi++]=
y06+x06|0,out[oi++]=y07+x07|0,out[oi++]=y08+x08|0,out[oi++]=y09+x09|0,out[oi++]=y10+x10|0,out[oi++]=y11+x11|0,out[oi++]=
y12+x12|0,out[oi++]=y13+x13|0,out[oi++]=y14+x14|0,out[oi++]=y15+x15|0}__name(XorAndSalsa,"XorAndSalsa");function BlockMix(input,ii,out,oi,r){
let head=oi+0,tail=oi+16*r;for(let i=0;i<16;i++)out[tail+i]=input[ii+(2*r-1)*16+i];for(let i=0;i<r;i++,head+=16,ii+=16)XorAndSalsa(
out,tail,input,ii,out,head),i>0&&(tail+=16),XorAndSalsa(out,head,input,ii+=16,out,tail)}__name(BlockMix,"BlockMix");function scryptInit(password,salt,_opts){
let opts=checkOpts({dkLen:32,asyncTick:10,maxmem:1073742848},_opts),{N:N3,r,p,dkLen,asyncTick,maxmem,onProgress}=opts;if(number(
N3),number(r),number(p),number(dkLen),number(asyncTick),number(maxmem),onProgress!==void 0&&typeof onProgress!="function")
throw new Error("progressCb should be function");let blockSize=128*r,blockSize32=blockSize/4;if(N3<=1||(N3&N3-1)!==0||N3>=
2**(blockSize/8)||N3>2**32)throw new Error("Scrypt: N must be larger than 1, a power of 2, less than 2^(128 * r / 8) and\
 less than 2^32");if(p<0||p>(2**32-1)*32/blockSize)throw new Error("Scrypt: p must be a positive integer less than or eq\
ual to ((2^32 - 1) * 32) / (128 * r)");if(dkLen<0||dkLen>(2**32-1)*32)throw new Error("Scrypt: dkLen should be positive \
integer less than or equal to (2^32 - 1) * 32");let memUsed=blockSize*(N3+p);if(memUsed>maxmem)throw new Error(`Scrypt: \
parameters too large, ${memUsed} (128 * r * (N + p)) > ${maxmem} (maxmem)`);let B=pbkdf24(sha2562,password,salt,{c:1,dkLen:blockSize*
p}),B32=u32(B),V=u32(new Uint8Array(blockSize*N3)),tmp=u32(new Uint8Array(blockSize)),blockMixCb=__name(()=>{},"blockMix\
Cb");if(onProgress){let totalBlockMix=2*N3*p,callbackPer=Math.max(Math.floor(totalBlockMix/1e4),1),blockMixCnt=0;blockMixCb=
__name(()=>{blockMixCnt++,onProgress&&(!(blockMixCnt%callbackPer)||blockMixCnt===totalBlockMix)&&onProgress(blockMixCnt/
totalBlockMix)},"blockMixCb")}return{N:N3,r,p,dkLen,blockSize32,V,B32,B,tmp,blockMixCb,asyncTick}}__name(scryptInit,"scr\
yptInit");function scryptOutput(password,dkLen,B,V,tmp){let res=pbkdf24(sha2562,password,B,{c:1,dkLen});return B.fill(0),
V.fill(0),tmp.fill(0),res}__name(scryptOutput,"scryptOutput");function scrypt(password,salt,opts){let{N:N3,r,p,dkLen,blockSize32,
V,B32,B,tmp,blockMixCb}=scryptInit(password,salt,opts);for(let pi=0;pi<p;pi++){let Pi2=blockSize32*pi;for(let i=0;i<blockSize32;i++)
V[i]=B32[Pi2+i];for(let i=0,pos=0;i<N3-1;i++)BlockMix(V,pos,V,pos+=blockSize32,r),blockMixCb();BlockMix(V,(N3-1)*blockSize32,
B32,Pi2,r),blockMixCb();for(let i=0;i<N3;i++){let j=B32[Pi2+blockSize32-16]%N3;for(let k=0;k<blockSize32;k++)tmp[k]=B32[Pi2+
k]^V[j*blockSize32+k];BlockMix(tmp,0,B32,Pi2,r),blockMixCb()}}return scryptOutput(password,dkLen,B,V,tmp)}__name(scrypt,
"scrypt");async function scryptAsync(password,salt,opts){let{N:N3,r,p,dkLen,blockSize32,V,B32,B,tmp,blockMixCb,asyncTick}=scryptInit(
password,salt,opts);for(let pi=0;pi<p;pi++){let Pi2=blockSize32*pi;for(let i=0;i<blockSize32;i++)V[i]=B32[Pi2+i];let pos=0;
await asyncLoop(N3-1,asyncTick,()=>{BlockMix(V,pos,V,pos+=blockSize32,r),blockMixCb()}),BlockMix(V,(N3-1)*blockSize32,B32,
Pi2,r),blockMixCb(),await asyncLoop(N3,asyncTick,()=>{let j=B32[Pi2+blockSize32-16]%N3;for(let k=0;k<blockSize32;k++)tmp[k]=
B32[Pi2+k]^V[j*blockSize32+k];BlockMix(tmp,0,B32,Pi2,r),blockMixCb()})}return scryptOutput(password,dkLen,B,V,tmp)}__name(
scryptAsync,"scryptAsync");var lockedSync=!1,lockedAsync=!1,_scryptAsync=__name(async function(passwd,salt,N3,r,p,dkLen,onProgress){return await scryptAsync(
passwd,salt,{N:N3,r,p,dkLen,onProgress})},"_scryptAsync"),_scryptSync=__name(function(passwd,salt,N3,r,p,dkLen){return scrypt(
passwd,salt,{N:N3,r,p,dkLen})},"_scryptSync"),__scryptAsync=_scryptAsync,__scryptSync=_scryptSync;async function scrypt2(_passwd,_salt,N3,r,p,dkLen,progress){
let passwd=getBytes(_passwd,"passwd"),salt=getBytes(_salt,"salt");return hexlify(await __scryptAsync(passwd,salt,N3,r,p,
dkLen,progress))}__name(scrypt2,"scrypt");scrypt2._=_scryptAsync;scrypt2.lock=function(){lockedAsync=!0};scrypt2.register=
function(func){if(lockedAsync)throw new Error("scrypt is locked");__scryptAsync=func};Object.freeze(scrypt2);function scryptSync(_passwd,_salt,N3,r,p,dkLen){
let passwd=getBytes(_passwd,"passwd"),salt=getBytes(_salt,"salt");return hexlify(__scryptSync(passwd,salt,N3,r,p,dkLen))}
__name(scryptSync,"scryptSync");scryptSync._=_scryptSync;scryptSync.lock=function(){lockedSync=!0};scryptSync.register=function(func){
if(lockedSync)throw new Error("scryptSync is locked");__scryptSync=func};Object.freeze(scryptSync);var _sha256=__name(function(data){return createHash("sha256").update(data).digest()},"_sha256"),_sha512=__name(function(data){
return createHash("sha512").update(data).digest()},"_sha512"),__sha256=_sha256,__sha512=_sha512,locked256=!1,locked512=!1;
function sha2563(_data){let data=getBytes(_data,"data");return hexlify(__sha256(data))}__name(sha2563,"sha256");sha2563.
_=_sha256;sha2563.lock=function(){locked256=!0};sha2563.register=function(func){if(locked256)throw new Error("sha256 is \
locked");__sha256=func};Object.freeze(sha2563);function sha5122(_data){let data=getBytes(_data,"data");return hexlify(__sha512(
data))}__name(sha5122,"sha512");sha5122._=_sha512;sha5122.lock=function(){locked512=!0};sha5122.register=function(func){
if(locked512)throw new Error("sha512 is locked");__sha512=func};Object.freeze(sha2563);var COORDINATE_DIGITS=64,compressed=__name(point=>(parseInt(point[point.length-1],16)%2===0?"02":"03")+point.slice(2,2+COORDINATE_DIGITS),
"compressed"),sign=__name((privateKey,digest2)=>{let signature=signRecoverable(privateKey,digest2);if(signature!=="")return{
r:signature.slice(0,COORDINATE_DIGITS),s:signature.slice(COORDINATE_DIGITS,2*COORDINATE_DIGITS),recovery:Number(signature.
slice(2*COORDINATE_DIGITS))}},"sign"),recovered=__name((digest2,r,s,recovery)=>recover(digest2,r+s,recovery),"recovered");var ProjectivePoint=class _ProjectivePoint{static{__name(this,"ProjectivePoint")}#uncompressed;constructor(uncompressed,otherwise="\
bad point: not on the curve"){if(uncompressed==="")throw new Error(otherwise);this.#uncompressed=uncompressed}static fromHex(encoded){
return new _ProjectivePoint(parsePoint(typeof encoded=="string"?encoded:toHex(encoded)))}add(other){return new _ProjectivePoint(
addPoints(this.toHex(!1),other.toHex(!1)))}toHex(isCompressed=!0){return isCompressed?compressed(this.#uncompressed):this.#uncompressed}toRawBytes(isCompressed=!0){
return fromHex(this.toHex(isCompressed))}},Signature=class _Signature{static{__name(this,"Signature")}#compact;#recovery;constructor(compact,recovery){
this.#compact=compact,this.#recovery=recovery}static fromCompact(bytes2){return new _Signature(toHex(bytes2))}addRecoveryBit(recovery){
return new _Signature(this.#compact,recovery)}recoverPublicKey(digest2){let half=this.#compact.length/2,point=recovered(
toHex(digest2),this.#compact.slice(0,half),this.#compact.slice(half),this.#recovery);return new ProjectivePoint(point)}},
NO_KEY="invalid private key",secp256k1={ProjectivePoint,Signature,getPublicKey:__name((key,isCompressed=!0)=>new ProjectivePoint(
publicKey(toHex(key)),NO_KEY).toRawBytes(isCompressed),"getPublicKey"),getSharedSecret:__name((key,point,isCompressed=!0)=>new ProjectivePoint(
multiplyPoint(toHex(point),toHex(key)),NO_KEY).toRawBytes(isCompressed),"getSharedSecret"),sign:__name((digest2,key)=>{let signature=sign(
toHex(key),toHex(digest2));if(signature===void 0)throw new Error(NO_KEY);let{r,s,recovery}=signature;return{r:BigInt(`0x${r}`),
s:BigInt(`0x${s}`),recovery}},"sign")};var ZeroAddress="0x0000000000000000000000000000000000000000";var ZeroHash="0x0000000000000000000000000000000000000000000000000000000000000000";var N=BigInt("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),WeiPerEther=BigInt("10000000000000000\
00"),MaxUint256=BigInt("0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),MinInt256=BigInt("0x8000000\
000000000000000000000000000000000000000000000000000000000")*BigInt(-1),MaxInt256=BigInt("0x7ffffffffffffffffffffffffffff\
fffffffffffffffffffffffffffffffffff");var EtherSymbol="\u039E",MessagePrefix=`Ethereum Signed Message:
`;var BN_04=BigInt(0),BN_13=BigInt(1),BN_2=BigInt(2),BN_27=BigInt(27),BN_28=BigInt(28),BN_35=BigInt(35),BN_N=BigInt("0xfff\
ffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),BN_N_2=BN_N/BN_2,inspect=Symbol.for("nodejs.util.inspect\
.custom"),_guard3={};function toUint256(value){return zeroPadValue(toBeArray(value),32)}__name(toUint256,"toUint256");var Signature2=class _Signature{static{
__name(this,"Signature")}#r;#s;#v;#networkV;get r(){return this.#r}set r(value){assertArgument(dataLength(value)===32,"i\
nvalid r","value",value),this.#r=hexlify(value)}get s(){return assertArgument(parseInt(this.#s.substring(0,3))<8,"non-ca\
nonical s; use ._s","s",this.#s),this.#s}set s(_value){assertArgument(dataLength(_value)===32,"invalid s","value",_value),
this.#s=hexlify(_value)}get _s(){return this.#s}isValid(){return BigInt(this.#s)<=BN_N_2}get v(){return this.#v}set v(value){
let v=getNumber(value,"value");assertArgument(v===27||v===28,"invalid v","v",value),this.#v=v}get networkV(){return this.#networkV}get legacyChainId(){
let v=this.networkV;return v==null?null:_Signature.getChainId(v)}get yParity(){return this.v===27?0:1}get yParityAndS(){
let yParityAndS=getBytes(this.s);return this.yParity&&(yParityAndS[0]|=128),hexlify(yParityAndS)}get compactSerialized(){
return concat([this.r,this.yParityAndS])}get serialized(){return concat([this.r,this.s,this.yParity?"0x1c":"0x1b"])}constructor(guard,r,s,v){
assertPrivate(guard,_guard3,"Signature"),this.#r=r,this.#s=s,this.#v=v,this.#networkV=null}getCanonical(){if(this.isValid())
return this;let s=BN_N-BigInt(this._s),v=55-this.v,result=new _Signature(_guard3,this.r,toUint256(s),v);return this.networkV&&
(result.#networkV=this.networkV),result}clone(){let clone=new _Signature(_guard3,this.r,this._s,this.v);return this.networkV&&
(clone.#networkV=this.networkV),clone}toJSON(){let networkV=this.networkV;return{_type:"signature",networkV:networkV!=null?
networkV.toString():null,r:this.r,s:this._s,v:this.v}}[inspect](){return this.toString()}toString(){return this.isValid()?
`Signature { r: ${this.r}, s: ${this._s}, v: ${this.v} }`:`Signature { r: ${this.r}, s: ${this._s}, v: ${this.v}, valid:\
 false }`}static getChainId(v){let bv=getBigInt(v,"v");return bv==BN_27||bv==BN_28?BN_04:(assertArgument(bv>=BN_35,"inva\
lid EIP-155 v","v",v),(bv-BN_35)/BN_2)}static getChainIdV(chainId,v){return getBigInt(chainId)*BN_2+BigInt(35+v-27)}static getNormalizedV(v){
let bv=getBigInt(v);return bv===BN_04||bv===BN_27?27:bv===BN_13||bv===BN_28?28:(assertArgument(bv>=BN_35,"invalid v","v",
v),bv&BN_13?27:28)}static from(sig){function assertError(check,message){assertArgument(check,message,"signature",sig)}if(__name(
assertError,"assertError"),sig==null)return new _Signature(_guard3,ZeroHash,ZeroHash,27);if(typeof sig=="string"){let bytes2=getBytes(
sig,"signature");if(bytes2.length===64){let r2=hexlify(bytes2.slice(0,32)),s2=bytes2.slice(32,64),v2=s2[0]&128?28:27;return s2[0]&=
127,new _Signature(_guard3,r2,hexlify(s2),v2)}if(bytes2.length===65){let r2=hexlify(bytes2.slice(0,32)),s2=hexlify(bytes2.
slice(32,64)),v2=_Signature.getNormalizedV(bytes2[64]);return new _Signature(_guard3,r2,s2,v2)}assertError(!1,"invalid r\
aw signature length")}if(sig instanceof _Signature)return sig.clone();let _r=sig.r;assertError(_r!=null,"missing r");let r=toUint256(
_r),s=(function(s2,yParityAndS){if(s2!=null)return toUint256(s2);if(yParityAndS!=null){assertError(isHexString(yParityAndS,
32),"invalid yParityAndS");let bytes2=getBytes(yParityAndS);return bytes2[0]&=127,hexlify(bytes2)}assertError(!1,"missin\
g s")})(sig.s,sig.yParityAndS),{networkV,v}=(function(_v,yParityAndS,yParity){if(_v!=null){let v2=getBigInt(_v);return{networkV:v2>=
BN_35?v2:void 0,v:_Signature.getNormalizedV(v2)}}if(yParityAndS!=null)return assertError(isHexString(yParityAndS,32),"in\
valid yParityAndS"),{v:getBytes(yParityAndS)[0]&128?28:27};if(yParity!=null){switch(getNumber(yParity,"sig.yParity")){case 0:
return{v:27};case 1:return{v:28}}assertError(!1,"invalid yParity")}assertError(!1,"missing v")})(sig.v,sig.yParityAndS,sig.
yParity),result=new _Signature(_guard3,r,s,v);return networkV&&(result.#networkV=networkV),assertError(sig.yParity==null||
getNumber(sig.yParity,"sig.yParity")===result.yParity,"yParity mismatch"),assertError(sig.yParityAndS==null||sig.yParityAndS===
result.yParityAndS,"yParityAndS mismatch"),result}};var SigningKey=class _SigningKey{static{__name(this,"SigningKey")}#privateKey;constructor(privateKey){assertArgument(dataLength(
privateKey)===32,"invalid private key","privateKey","[REDACTED]"),this.#privateKey=hexlify(privateKey)}get privateKey(){
return this.#privateKey}get publicKey(){return _SigningKey.computePublicKey(this.#privateKey)}get compressedPublicKey(){
return _SigningKey.computePublicKey(this.#privateKey,!0)}sign(digest2){assertArgument(dataLength(digest2)===32,"invalid \
digest length","digest",digest2);let sig=secp256k1.sign(getBytesCopy(digest2),getBytesCopy(this.#privateKey),{lowS:!0});
return Signature2.from({r:toBeHex(sig.r,32),s:toBeHex(sig.s,32),v:sig.recovery?28:27})}computeSharedSecret(other){let pubKey=_SigningKey.
computePublicKey(other);return hexlify(secp256k1.getSharedSecret(getBytesCopy(this.#privateKey),getBytes(pubKey),!1))}static computePublicKey(key,compressed2){
let bytes2=getBytes(key,"key");if(bytes2.length===32){let pubKey=secp256k1.getPublicKey(bytes2,!!compressed2);return hexlify(
pubKey)}if(bytes2.length===64){let pub=new Uint8Array(65);pub[0]=4,pub.set(bytes2,1),bytes2=pub}let point=secp256k1.ProjectivePoint.
fromHex(bytes2);return hexlify(point.toRawBytes(compressed2))}static recoverPublicKey(digest2,signature){assertArgument(
dataLength(digest2)===32,"invalid digest length","digest",digest2);let sig=Signature2.from(signature),secpSig=secp256k1.
Signature.fromCompact(getBytesCopy(concat([sig.r,sig.s])));secpSig=secpSig.addRecoveryBit(sig.yParity);let pubKey=secpSig.
recoverPublicKey(getBytesCopy(digest2));return assertArgument(pubKey!=null,"invalid signature for digest","signature",signature),
"0x"+pubKey.toHex(!1)}static addPoints(p0,p1,compressed2){let pub0=secp256k1.ProjectivePoint.fromHex(_SigningKey.computePublicKey(
p0).substring(2)),pub1=secp256k1.ProjectivePoint.fromHex(_SigningKey.computePublicKey(p1).substring(2));return"0x"+pub0.
add(pub1).toHex(!!compressed2)}};function lock(){computeHmac.lock(),keccak2562.lock(),pbkdf23.lock(),randomBytes2.lock(),ripemd1602.lock(),scrypt2.lock(),
scryptSync.lock(),sha2563.lock(),sha5122.lock(),randomBytes2.lock()}__name(lock,"lock");var BN_05=BigInt(0),BN_36=BigInt(36);function getChecksumAddress(address){address=address.toLowerCase();let chars=address.
substring(2).split(""),expanded=new Uint8Array(40);for(let i=0;i<40;i++)expanded[i]=chars[i].charCodeAt(0);let hashed=getBytes(
keccak2562(expanded));for(let i=0;i<40;i+=2)hashed[i>>1]>>4>=8&&(chars[i]=chars[i].toUpperCase()),(hashed[i>>1]&15)>=8&&
(chars[i+1]=chars[i+1].toUpperCase());return"0x"+chars.join("")}__name(getChecksumAddress,"getChecksumAddress");var ibanLookup={};
for(let i=0;i<10;i++)ibanLookup[String(i)]=String(i);for(let i=0;i<26;i++)ibanLookup[String.fromCharCode(65+i)]=String(10+
i);var safeDigits=15;function ibanChecksum(address){address=address.toUpperCase(),address=address.substring(4)+address.substring(
0,2)+"00";let expanded=address.split("").map(c=>ibanLookup[c]).join("");for(;expanded.length>=safeDigits;){let block=expanded.
substring(0,safeDigits);expanded=parseInt(block,10)%97+expanded.substring(block.length)}let checksum2=String(98-parseInt(
expanded,10)%97);for(;checksum2.length<2;)checksum2="0"+checksum2;return checksum2}__name(ibanChecksum,"ibanChecksum");var Base36=(function(){
let result={};for(let i=0;i<36;i++){let key="0123456789abcdefghijklmnopqrstuvwxyz"[i];result[key]=BigInt(i)}return result})();
function fromBase36(value){value=value.toLowerCase();let result=BN_05;for(let i=0;i<value.length;i++)result=result*BN_36+
Base36[value[i]];return result}__name(fromBase36,"fromBase36");function getAddress(address){if(assertArgument(typeof address==
"string","invalid address","address",address),address.match(/^(0x)?[0-9a-fA-F]{40}$/)){address.startsWith("0x")||(address=
"0x"+address);let result=getChecksumAddress(address);return assertArgument(!address.match(/([A-F].*[a-f])|([a-f].*[A-F])/)||
result===address,"bad address checksum","address",address),result}if(address.match(/^XE[0-9]{2}[0-9A-Za-z]{30,31}$/)){assertArgument(
address.substring(2,4)===ibanChecksum(address),"bad icap checksum","address",address);let result=fromBase36(address.substring(
4)).toString(16);for(;result.length<40;)result="0"+result;return getChecksumAddress("0x"+result)}assertArgument(!1,"inva\
lid address","address",address)}__name(getAddress,"getAddress");function getIcapAddress(address){let base36=BigInt(getAddress(
address)).toString(36).toUpperCase();for(;base36.length<30;)base36="0"+base36;return"XE"+ibanChecksum("XE00"+base36)+base36}
__name(getIcapAddress,"getIcapAddress");function getCreateAddress(tx){let from=getAddress(tx.from),nonceHex=getBigInt(tx.nonce,"tx.nonce").toString(16);return nonceHex===
"0"?nonceHex="0x":nonceHex.length%2?nonceHex="0x0"+nonceHex:nonceHex="0x"+nonceHex,getAddress(dataSlice(keccak2562(encodeRlp(
[from,nonceHex])),12))}__name(getCreateAddress,"getCreateAddress");function getCreate2Address(_from,_salt,_initCodeHash){
let from=getAddress(_from),salt=getBytes(_salt,"salt"),initCodeHash=getBytes(_initCodeHash,"initCodeHash");return assertArgument(
salt.length===32,"salt must be 32 bytes","salt",_salt),assertArgument(initCodeHash.length===32,"initCodeHash must be 32 \
bytes","initCodeHash",_initCodeHash),getAddress(dataSlice(keccak2562(concat(["0xff",from,salt,initCodeHash])),12))}__name(
getCreate2Address,"getCreate2Address");function isAddressable(value){return value&&typeof value.getAddress=="function"}__name(isAddressable,"isAddressable");function isAddress(value){
try{return getAddress(value),!0}catch{}return!1}__name(isAddress,"isAddress");async function checkAddress(target,promise){
let result=await promise;return(result==null||result==="0x0000000000000000000000000000000000000000")&&(assert(typeof target!=
"string","unconfigured name","UNCONFIGURED_NAME",{value:target}),assertArgument(!1,"invalid AddressLike value; did not r\
esolve to a value address","target",target)),getAddress(result)}__name(checkAddress,"checkAddress");function resolveAddress(target,resolver){
if(typeof target=="string")return target.match(/^0x[0-9a-f]{40}$/i)?getAddress(target):(assert(resolver!=null,"ENS resol\
ution requires a provider","UNSUPPORTED_OPERATION",{operation:"resolveName"}),checkAddress(target,resolver.resolveName(target)));
if(isAddressable(target))return checkAddress(target,target.getAddress());if(target&&typeof target.then=="function")return checkAddress(
target,target);assertArgument(!1,"unsupported addressable value","target",target)}__name(resolveAddress,"resolveAddress");var _gaurd={};function n(value,width){let signed2=!1;return width<0&&(signed2=!0,width*=-1),new Typed(_gaurd,`${signed2?
"":"u"}int${width}`,value,{signed:signed2,width})}__name(n,"n");function b(value,size){return new Typed(_gaurd,`bytes${size||
""}`,value,{size})}__name(b,"b");var _typedSymbol=Symbol.for("_ethers_typed"),Typed=class _Typed{static{__name(this,"Typ\
ed")}type;value;#options;_typedSymbol;constructor(gaurd,type,value,options){options==null&&(options=null),assertPrivate(
_gaurd,gaurd,"Typed"),defineProperties(this,{_typedSymbol,type,value}),this.#options=options,this.format()}format(){if(this.
type==="array")throw new Error("");if(this.type==="dynamicArray")throw new Error("");return this.type==="tuple"?`tuple(${this.
value.map(v=>v.format()).join(",")})`:this.type}defaultValue(){return 0}minValue(){return 0}maxValue(){return 0}isBigInt(){
return!!this.type.match(/^u?int[0-9]+$/)}isData(){return this.type.startsWith("bytes")}isString(){return this.type==="st\
ring"}get tupleName(){if(this.type!=="tuple")throw TypeError("not a tuple");return this.#options}get arrayLength(){if(this.
type!=="array")throw TypeError("not an array");return this.#options===!0?-1:this.#options===!1?this.value.length:null}static from(type,value){
return new _Typed(_gaurd,type,value)}static uint8(v){return n(v,8)}static uint16(v){return n(v,16)}static uint24(v){return n(
v,24)}static uint32(v){return n(v,32)}static uint40(v){return n(v,40)}static uint48(v){return n(v,48)}static uint56(v){return n(
v,56)}static uint64(v){return n(v,64)}static uint72(v){return n(v,72)}static uint80(v){return n(v,80)}static uint88(v){return n(
v,88)}static uint96(v){return n(v,96)}static uint104(v){return n(v,104)}static uint112(v){return n(v,112)}static uint120(v){
return n(v,120)}static uint128(v){return n(v,128)}static uint136(v){return n(v,136)}static uint144(v){return n(v,144)}static uint152(v){
return n(v,152)}static uint160(v){return n(v,160)}static uint168(v){return n(v,168)}static uint176(v){return n(v,176)}static uint184(v){
return n(v,184)}static uint192(v){return n(v,192)}static uint200(v){return n(v,200)}static uint208(v){return n(v,208)}static uint216(v){
return n(v,216)}static uint224(v){return n(v,224)}static uint232(v){return n(v,232)}static uint240(v){return n(v,240)}static uint248(v){
return n(v,248)}static uint256(v){return n(v,256)}static uint(v){return n(v,256)}static int8(v){return n(v,-8)}static int16(v){
return n(v,-16)}static int24(v){return n(v,-24)}static int32(v){return n(v,-32)}static int40(v){return n(v,-40)}static int48(v){
return n(v,-48)}static int56(v){return n(v,-56)}static int64(v){return n(v,-64)}static int72(v){return n(v,-72)}static int80(v){
return n(v,-80)}static int88(v){return n(v,-88)}static int96(v){return n(v,-96)}static int104(v){return n(v,-104)}static int112(v){
return n(v,-112)}static int120(v){return n(v,-120)}static int128(v){return n(v,-128)}static int136(v){return n(v,-136)}static int144(v){
return n(v,-144)}static int152(v){return n(v,-152)}static int160(v){return n(v,-160)}static int168(v){return n(v,-168)}static int176(v){
return n(v,-176)}static int184(v){return n(v,-184)}static int192(v){return n(v,-192)}static int200(v){return n(v,-200)}static int208(v){
return n(v,-208)}static int216(v){return n(v,-216)}static int224(v){return n(v,-224)}static int232(v){return n(v,-232)}static int240(v){
return n(v,-240)}static int248(v){return n(v,-248)}static int256(v){return n(v,-256)}static int(v){return n(v,-256)}static bytes1(v){
return b(v,1)}static bytes2(v){return b(v,2)}static bytes3(v){return b(v,3)}static bytes4(v){return b(v,4)}static bytes5(v){
return b(v,5)}static bytes6(v){return b(v,6)}static bytes7(v){return b(v,7)}static bytes8(v){return b(v,8)}static bytes9(v){
return b(v,9)}static bytes10(v){return b(v,10)}static bytes11(v){return b(v,11)}static bytes12(v){return b(v,12)}static bytes13(v){
return b(v,13)}static bytes14(v){return b(v,14)}static bytes15(v){return b(v,15)}static bytes16(v){return b(v,16)}static bytes17(v){
return b(v,17)}static bytes18(v){return b(v,18)}static bytes19(v){return b(v,19)}static bytes20(v){return b(v,20)}static bytes21(v){
return b(v,21)}static bytes22(v){return b(v,22)}static bytes23(v){return b(v,23)}static bytes24(v){return b(v,24)}static bytes25(v){
return b(v,25)}static bytes26(v){return b(v,26)}static bytes27(v){return b(v,27)}static bytes28(v){return b(v,28)}static bytes29(v){
return b(v,29)}static bytes30(v){return b(v,30)}static bytes31(v){return b(v,31)}static bytes32(v){return b(v,32)}static address(v){
return new _Typed(_gaurd,"address",v)}static bool(v){return new _Typed(_gaurd,"bool",!!v)}static bytes(v){return new _Typed(
_gaurd,"bytes",v)}static string(v){return new _Typed(_gaurd,"string",v)}static array(v,dynamic){throw new Error("not imp\
lemented yet")}static tuple(v,name){throw new Error("not implemented yet")}static overrides(v){return new _Typed(_gaurd,
"overrides",Object.assign({},v))}static isTyped(value){return value&&typeof value=="object"&&"_typedSymbol"in value&&value.
_typedSymbol===_typedSymbol}static dereference(value,type){if(_Typed.isTyped(value)){if(value.type!==type)throw new Error(
`invalid type: expecetd ${type}, got ${value.type}`);return value.value}return value}};var AddressCoder=class extends Coder{static{__name(this,"AddressCoder")}constructor(localName){super("address","address",
localName,!1)}defaultValue(){return"0x0000000000000000000000000000000000000000"}encode(writer,_value){let value=Typed.dereference(
_value,"string");try{value=getAddress(value)}catch(error){return this._throwError(error.message,_value)}return writer.writeValue(
value)}decode(reader){return getAddress(toBeHex(reader.readValue(),20))}};var AnonymousCoder=class extends Coder{static{__name(this,"AnonymousCoder")}coder;constructor(coder){super(coder.name,coder.
type,"_",coder.dynamic),this.coder=coder}defaultValue(){return this.coder.defaultValue()}encode(writer,value){return this.
coder.encode(writer,value)}decode(reader){return this.coder.decode(reader)}};function pack(writer,coders,values){let arrayValues=[];if(Array.isArray(values))arrayValues=values;else if(values&&typeof values==
"object"){let unique={};arrayValues=coders.map(coder=>{let name=coder.localName;return assert(name,"cannot encode object\
 for signature with missing names","INVALID_ARGUMENT",{argument:"values",info:{coder},value:values}),assert(!unique[name],
"cannot encode object for signature with duplicate names","INVALID_ARGUMENT",{argument:"values",info:{coder},value:values}),
unique[name]=!0,values[name]})}else assertArgument(!1,"invalid tuple value","tuple",values);assertArgument(coders.length===
arrayValues.length,"types/value length mismatch","tuple",values);let staticWriter=new Writer,dynamicWriter=new Writer,updateFuncs=[];
coders.forEach((coder,index)=>{let value=arrayValues[index];if(coder.dynamic){let dynamicOffset=dynamicWriter.length;coder.
encode(dynamicWriter,value);let updateFunc=staticWriter.writeUpdatableValue();updateFuncs.push(baseOffset=>{updateFunc(baseOffset+
dynamicOffset)})}else coder.encode(staticWriter,value)}),updateFuncs.forEach(func=>{func(staticWriter.length)});let length=writer.
appendWriter(staticWriter);return length+=writer.appendWriter(dynamicWriter),length}__name(pack,"pack");function unpack(reader,coders){
let values=[],keys=[],baseReader=reader.subReader(0);return coders.forEach(coder=>{let value=null;if(coder.dynamic){let offset=reader.
readIndex(),offsetReader=baseReader.subReader(offset);try{value=coder.decode(offsetReader)}catch(error){if(isError(error,
"BUFFER_OVERRUN"))throw error;value=error,value.baseType=coder.name,value.name=coder.localName,value.type=coder.type}}else
try{value=coder.decode(reader)}catch(error){if(isError(error,"BUFFER_OVERRUN"))throw error;value=error,value.baseType=coder.
name,value.name=coder.localName,value.type=coder.type}if(value==null)throw new Error("investigate");values.push(value),keys.
push(coder.localName||null)}),Result.fromItems(values,keys)}__name(unpack,"unpack");var ArrayCoder=class extends Coder{static{
__name(this,"ArrayCoder")}coder;length;constructor(coder,length,localName){let type=coder.type+"["+(length>=0?length:"")+
"]",dynamic=length===-1||coder.dynamic;super("array",type,localName,dynamic),defineProperties(this,{coder,length})}defaultValue(){
let defaultChild=this.coder.defaultValue(),result=[];for(let i=0;i<this.length;i++)result.push(defaultChild);return result}encode(writer,_value){
let value=Typed.dereference(_value,"array");Array.isArray(value)||this._throwError("expected array value",value);let count2=this.
length;count2===-1&&(count2=value.length,writer.writeValue(value.length)),assertArgumentCount(value.length,count2,"coder\
 array"+(this.localName?" "+this.localName:""));let coders=[];for(let i=0;i<value.length;i++)coders.push(this.coder);return pack(
writer,coders,value)}decode(reader){let count2=this.length;count2===-1&&(count2=reader.readIndex(),assert(count2*WordSize<=
reader.dataLength,"insufficient data length","BUFFER_OVERRUN",{buffer:reader.bytes,offset:count2*WordSize,length:reader.
dataLength}));let coders=[];for(let i=0;i<count2;i++)coders.push(new AnonymousCoder(this.coder));return unpack(reader,coders)}};var BooleanCoder=class extends Coder{static{__name(this,"BooleanCoder")}constructor(localName){super("bool","bool",localName,
!1)}defaultValue(){return!1}encode(writer,_value){let value=Typed.dereference(_value,"bool");return writer.writeValue(value?
1:0)}decode(reader){return!!reader.readValue()}};var DynamicBytesCoder=class extends Coder{static{__name(this,"DynamicBytesCoder")}constructor(type,localName){super(type,
type,localName,!0)}defaultValue(){return"0x"}encode(writer,value){value=getBytesCopy(value);let length=writer.writeValue(
value.length);return length+=writer.writeBytes(value),length}decode(reader){return reader.readBytes(reader.readIndex(),!0)}},
BytesCoder=class extends DynamicBytesCoder{static{__name(this,"BytesCoder")}constructor(localName){super("bytes",localName)}decode(reader){
return hexlify(super.decode(reader))}};var FixedBytesCoder=class extends Coder{static{__name(this,"FixedBytesCoder")}size;constructor(size,localName){let name="\
bytes"+String(size);super(name,name,localName,!1),defineProperties(this,{size},{size:"number"})}defaultValue(){return"0x\
0000000000000000000000000000000000000000000000000000000000000000".substring(0,2+this.size*2)}encode(writer,_value){let data=getBytesCopy(
Typed.dereference(_value,this.type));return data.length!==this.size&&this._throwError("incorrect data length",_value),writer.
writeBytes(data)}decode(reader){return hexlify(reader.readBytes(this.size))}};var Empty=new Uint8Array([]),NullCoder=class extends Coder{static{__name(this,"NullCoder")}constructor(localName){super(
"null","",localName,!1)}defaultValue(){return null}encode(writer,value){return value!=null&&this._throwError("not null",
value),writer.writeBytes(Empty)}decode(reader){return reader.readBytes(0),null}};var BN_06=BigInt(0),BN_14=BigInt(1),BN_MAX_UINT256=BigInt("0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
fffff"),NumberCoder=class extends Coder{static{__name(this,"NumberCoder")}size;signed;constructor(size,signed2,localName){
let name=(signed2?"int":"uint")+size*8;super(name,name,localName,!1),defineProperties(this,{size,signed:signed2},{size:"\
number",signed:"boolean"})}defaultValue(){return 0}encode(writer,_value){let value=getBigInt(Typed.dereference(_value,this.
type)),maxUintValue=mask(BN_MAX_UINT256,WordSize*8);if(this.signed){let bounds=mask(maxUintValue,this.size*8-1);(value>bounds||
value<-(bounds+BN_14))&&this._throwError("value out-of-bounds",_value),value=toTwos(value,8*WordSize)}else(value<BN_06||
value>mask(maxUintValue,this.size*8))&&this._throwError("value out-of-bounds",_value);return writer.writeValue(value)}decode(reader){
let value=mask(reader.readValue(),this.size*8);return this.signed&&(value=fromTwos(value,this.size*8)),value}};var StringCoder=class extends DynamicBytesCoder{static{__name(this,"StringCoder")}constructor(localName){super("string",
localName)}defaultValue(){return""}encode(writer,_value){return super.encode(writer,toUtf8Bytes(Typed.dereference(_value,
"string")))}decode(reader){return toUtf8String(super.decode(reader))}};var TupleCoder=class extends Coder{static{__name(this,"TupleCoder")}coders;constructor(coders,localName){let dynamic=!1,
types=[];coders.forEach(coder=>{coder.dynamic&&(dynamic=!0),types.push(coder.type)});let type="tuple("+types.join(",")+"\
)";super("tuple",type,localName,dynamic),defineProperties(this,{coders:Object.freeze(coders.slice())})}defaultValue(){let values=[];
this.coders.forEach(coder=>{values.push(coder.defaultValue())});let uniqueNames=this.coders.reduce((accum,coder)=>{let name=coder.
localName;return name&&(accum[name]||(accum[name]=0),accum[name]++),accum},{});return this.coders.forEach((coder,index)=>{
let name=coder.localName;!name||uniqueNames[name]!==1||(name==="length"&&(name="_length"),values[name]==null&&(values[name]=
values[index]))}),Object.freeze(values)}encode(writer,_value){let value=Typed.dereference(_value,"tuple");return pack(writer,
this.coders,value)}decode(reader){return unpack(reader,this.coders)}};function accessSetify(addr,storageKeys){return{address:getAddress(addr),storageKeys:storageKeys.map((storageKey,index)=>(assertArgument(
isHexString(storageKey,32),"invalid slot",`storageKeys[${index}]`,storageKey),storageKey.toLowerCase()))}}__name(accessSetify,
"accessSetify");function accessListify(value){if(Array.isArray(value))return value.map((set,index)=>Array.isArray(set)?(assertArgument(
set.length===2,"invalid slot set",`value[${index}]`,set),accessSetify(set[0],set[1])):(assertArgument(set!=null&&typeof set==
"object","invalid address-slot set","value",value),accessSetify(set.address,set.storageKeys)));assertArgument(value!=null&&
typeof value=="object","invalid access list","value",value);let result=Object.keys(value).map(addr=>{let storageKeys=value[addr].
reduce((accum,storageKey)=>(accum[storageKey]=!0,accum),{});return accessSetify(addr,Object.keys(storageKeys).sort())});
return result.sort((a,b2)=>a.address.localeCompare(b2.address)),result}__name(accessListify,"accessListify");function authorizationify(auth){return{address:getAddress(auth.address),nonce:getBigInt(auth.nonce!=null?auth.nonce:0),chainId:getBigInt(
auth.chainId!=null?auth.chainId:0),signature:Signature2.from(auth.signature)}}__name(authorizationify,"authorizationify");function computeAddress(key){let pubkey;return typeof key=="string"?pubkey=SigningKey.computePublicKey(key,!1):pubkey=key.
publicKey,getAddress(keccak2562("0x"+pubkey.substring(4)).substring(26))}__name(computeAddress,"computeAddress");function recoverAddress(digest2,signature){
return computeAddress(SigningKey.recoverPublicKey(digest2,signature))}__name(recoverAddress,"recoverAddress");var BN_07=BigInt(0),BN_22=BigInt(2),BN_272=BigInt(27),BN_282=BigInt(28),BN_352=BigInt(35),BN_MAX_UINT=BigInt("0xffffffff\
ffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),inspect2=Symbol.for("nodejs.util.inspect.custom"),BLOB_SIZE=4096*
32,CELL_COUNT=128;function getKzgLibrary(kzg){return{blobToKzgCommitment:__name(blob=>{if("computeBlobProof"in kzg){if("blobToKzgCommitmen\
t"in kzg&&typeof kzg.blobToKzgCommitment=="function")return getBytes(kzg.blobToKzgCommitment(hexlify(blob)))}else if("bl\
obToKzgCommitment"in kzg&&typeof kzg.blobToKzgCommitment=="function")return getBytes(kzg.blobToKzgCommitment(blob));if("\
blobToKZGCommitment"in kzg&&typeof kzg.blobToKZGCommitment=="function")return getBytes(kzg.blobToKZGCommitment(hexlify(blob)));
assertArgument(!1,"unsupported KZG library","kzg",kzg)},"blobToKzgCommitment"),computeBlobKzgProof:__name((blob,commitment)=>{
if("computeBlobProof"in kzg&&typeof kzg.computeBlobProof=="function")return getBytes(kzg.computeBlobProof(hexlify(blob),
hexlify(commitment)));if("computeBlobKzgProof"in kzg&&typeof kzg.computeBlobKzgProof=="function")return kzg.computeBlobKzgProof(
blob,commitment);if("computeBlobKZGProof"in kzg&&typeof kzg.computeBlobKZGProof=="function")return getBytes(kzg.computeBlobKZGProof(
hexlify(blob),hexlify(commitment)));assertArgument(!1,"unsupported KZG library","kzg",kzg)},"computeBlobKzgProof")}}__name(
getKzgLibrary,"getKzgLibrary");function getVersionedHash(version2,hash3){let versioned=version2.toString(16);for(;versioned.
length<2;)versioned="0"+versioned;return versioned+=sha2563(hash3).substring(4),"0x"+versioned}__name(getVersionedHash,"\
getVersionedHash");function handleAddress(value){return value==="0x"?null:getAddress(value)}__name(handleAddress,"handle\
Address");function handleAccessList(value,param){try{return accessListify(value)}catch(error){assertArgument(!1,error.message,
param,value)}}__name(handleAccessList,"handleAccessList");function handleAuthorizationList(value,param){try{if(!Array.isArray(
value))throw new Error("authorizationList: invalid array");let result=[];for(let i=0;i<value.length;i++){let auth=value[i];
if(!Array.isArray(auth))throw new Error(`authorization[${i}]: invalid array`);if(auth.length!==6)throw new Error(`author\
ization[${i}]: wrong length`);if(!auth[1])throw new Error(`authorization[${i}]: null address`);result.push({address:handleAddress(
auth[1]),nonce:handleUint(auth[2],"nonce"),chainId:handleUint(auth[0],"chainId"),signature:Signature2.from({yParity:handleNumber(
auth[3],"yParity"),r:zeroPadValue(auth[4],32),s:zeroPadValue(auth[5],32)})})}return result}catch(error){assertArgument(!1,
error.message,param,value)}}__name(handleAuthorizationList,"handleAuthorizationList");function handleNumber(_value,param){
return _value==="0x"?0:getNumber(_value,param)}__name(handleNumber,"handleNumber");function handleUint(_value,param){if(_value===
"0x")return BN_07;let value=getBigInt(_value,param);return assertArgument(value<=BN_MAX_UINT,"value exceeds uint size",param,
value),value}__name(handleUint,"handleUint");function formatNumber(_value,name){let value=getBigInt(_value,"value"),result=toBeArray(
value);return assertArgument(result.length<=32,"value too large",`tx.${name}`,value),result}__name(formatNumber,"formatN\
umber");function formatAccessList(value){return accessListify(value).map(set=>[set.address,set.storageKeys])}__name(formatAccessList,
"formatAccessList");function formatAuthorizationList(value){return value.map(a=>[formatNumber(a.chainId,"chainId"),a.address,
formatNumber(a.nonce,"nonce"),formatNumber(a.signature.yParity,"yParity"),toBeArray(a.signature.r),toBeArray(a.signature.
_s)])}__name(formatAuthorizationList,"formatAuthorizationList");function formatHashes(value,param){assertArgument(Array.
isArray(value),`invalid ${param}`,"value",value);for(let i=0;i<value.length;i++)assertArgument(isHexString(value[i],32),
"invalid ${ param } hash",`value[${i}]`,value[i]);return value}__name(formatHashes,"formatHashes");function _parseLegacy(data){
let fields=decodeRlp(data);assertArgument(Array.isArray(fields)&&(fields.length===9||fields.length===6),"invalid field c\
ount for legacy transaction","data",data);let tx={type:0,nonce:handleNumber(fields[0],"nonce"),gasPrice:handleUint(fields[1],
"gasPrice"),gasLimit:handleUint(fields[2],"gasLimit"),to:handleAddress(fields[3]),value:handleUint(fields[4],"value"),data:hexlify(
fields[5]),chainId:BN_07};if(fields.length===6)return tx;let v=handleUint(fields[6],"v"),r=handleUint(fields[7],"r"),s=handleUint(
fields[8],"s");if(r===BN_07&&s===BN_07)tx.chainId=v;else{let chainId=(v-BN_352)/BN_22;chainId<BN_07&&(chainId=BN_07),tx.
chainId=chainId,assertArgument(chainId!==BN_07||v===BN_272||v===BN_282,"non-canonical legacy v","v",fields[6]),tx.signature=
Signature2.from({r:zeroPadValue(fields[7],32),s:zeroPadValue(fields[8],32),v})}return tx}__name(_parseLegacy,"_parseLega\
cy");function _serializeLegacy(tx,sig){let fields=[formatNumber(tx.nonce,"nonce"),formatNumber(tx.gasPrice||0,"gasPrice"),
formatNumber(tx.gasLimit,"gasLimit"),tx.to||"0x",formatNumber(tx.value,"value"),tx.data],chainId=BN_07;if(tx.chainId!=BN_07)
chainId=getBigInt(tx.chainId,"tx.chainId"),assertArgument(!sig||sig.networkV==null||sig.legacyChainId===chainId,"tx.chai\
nId/sig.v mismatch","sig",sig);else if(tx.signature){let legacy=tx.signature.legacyChainId;legacy!=null&&(chainId=legacy)}
if(!sig)return chainId!==BN_07&&(fields.push(toBeArray(chainId)),fields.push("0x"),fields.push("0x")),encodeRlp(fields);
let v=BigInt(27+sig.yParity);return chainId!==BN_07?v=Signature2.getChainIdV(chainId,sig.v):BigInt(sig.v)!==v&&assertArgument(
!1,"tx.chainId/sig.v mismatch","sig",sig),fields.push(toBeArray(v)),fields.push(toBeArray(sig.r)),fields.push(toBeArray(
sig._s)),encodeRlp(fields)}__name(_serializeLegacy,"_serializeLegacy");function _parseEipSignature(tx,fields){let yParity;
try{if(yParity=handleNumber(fields[0],"yParity"),yParity!==0&&yParity!==1)throw new Error("bad yParity")}catch{assertArgument(
!1,"invalid yParity","yParity",fields[0])}let r=zeroPadValue(fields[1],32),s=zeroPadValue(fields[2],32),signature=Signature2.
from({r,s,yParity});tx.signature=signature}__name(_parseEipSignature,"_parseEipSignature");function _parseEip1559(data){
let fields=decodeRlp(getBytes(data).slice(1));assertArgument(Array.isArray(fields)&&(fields.length===9||fields.length===
12),"invalid field count for transaction type: 2","data",hexlify(data));let tx={type:2,chainId:handleUint(fields[0],"cha\
inId"),nonce:handleNumber(fields[1],"nonce"),maxPriorityFeePerGas:handleUint(fields[2],"maxPriorityFeePerGas"),maxFeePerGas:handleUint(
fields[3],"maxFeePerGas"),gasPrice:null,gasLimit:handleUint(fields[4],"gasLimit"),to:handleAddress(fields[5]),value:handleUint(
fields[6],"value"),data:hexlify(fields[7]),accessList:handleAccessList(fields[8],"accessList")};return fields.length===9||
_parseEipSignature(tx,fields.slice(9)),tx}__name(_parseEip1559,"_parseEip1559");function _serializeEip1559(tx,sig){let fields=[
formatNumber(tx.chainId,"chainId"),formatNumber(tx.nonce,"nonce"),formatNumber(tx.maxPriorityFeePerGas||0,"maxPriorityFe\
ePerGas"),formatNumber(tx.maxFeePerGas||0,"maxFeePerGas"),formatNumber(tx.gasLimit,"gasLimit"),tx.to||"0x",formatNumber(
tx.value,"value"),tx.data,formatAccessList(tx.accessList||[])];return sig&&(fields.push(formatNumber(sig.yParity,"yParit\
y")),fields.push(toBeArray(sig.r)),fields.push(toBeArray(sig.s))),concat(["0x02",encodeRlp(fields)])}__name(_serializeEip1559,
"_serializeEip1559");function _parseEip2930(data){let fields=decodeRlp(getBytes(data).slice(1));assertArgument(Array.isArray(
fields)&&(fields.length===8||fields.length===11),"invalid field count for transaction type: 1","data",hexlify(data));let tx={
type:1,chainId:handleUint(fields[0],"chainId"),nonce:handleNumber(fields[1],"nonce"),gasPrice:handleUint(fields[2],"gasP\
rice"),gasLimit:handleUint(fields[3],"gasLimit"),to:handleAddress(fields[4]),value:handleUint(fields[5],"value"),data:hexlify(
fields[6]),accessList:handleAccessList(fields[7],"accessList")};return fields.length===8||_parseEipSignature(tx,fields.slice(
8)),tx}__name(_parseEip2930,"_parseEip2930");function _serializeEip2930(tx,sig){let fields=[formatNumber(tx.chainId,"cha\
inId"),formatNumber(tx.nonce,"nonce"),formatNumber(tx.gasPrice||0,"gasPrice"),formatNumber(tx.gasLimit,"gasLimit"),tx.to||
"0x",formatNumber(tx.value,"value"),tx.data,formatAccessList(tx.accessList||[])];return sig&&(fields.push(formatNumber(sig.
yParity,"recoveryParam")),fields.push(toBeArray(sig.r)),fields.push(toBeArray(sig.s))),concat(["0x01",encodeRlp(fields)])}
__name(_serializeEip2930,"_serializeEip2930");function _parseEip4844(data){let fields=decodeRlp(getBytes(data).slice(1)),
typeName="3",blobWrapperVersion=null,blobs=null;if(fields.length===4&&Array.isArray(fields[0])){typeName="3 (network for\
mat)";let fBlobs=fields[1],fCommits=fields[2],fProofs=fields[3];assertArgument(Array.isArray(fBlobs),"invalid network fo\
rmat: blobs not an array","fields[1]",fBlobs),assertArgument(Array.isArray(fCommits),"invalid network format: commitment\
s not an array","fields[2]",fCommits),assertArgument(Array.isArray(fProofs),"invalid network format: proofs not an array",
"fields[3]",fProofs),assertArgument(fBlobs.length===fCommits.length,"invalid network format: blobs/commitments length mi\
smatch","fields",fields),assertArgument(fBlobs.length===fProofs.length,"invalid network format: blobs/proofs length mism\
atch","fields",fields),blobs=[];for(let i=0;i<fields[1].length;i++)blobs.push({data:fBlobs[i],commitment:fCommits[i],proof:fProofs[i]});
fields=fields[0]}else if(fields.length===5&&Array.isArray(fields[0])){typeName="3 (EIP-7594 network format)",blobWrapperVersion=
getNumber(fields[1]);let fBlobs=fields[2],fCommits=fields[3],fProofs=fields[4];assertArgument(blobWrapperVersion===1,`un\
supported EIP-7594 network format version: ${blobWrapperVersion}`,"fields[1]",blobWrapperVersion),assertArgument(Array.isArray(
fBlobs),"invalid EIP-7594 network format: blobs not an array","fields[2]",fBlobs),assertArgument(Array.isArray(fCommits),
"invalid EIP-7594 network format: commitments not an array","fields[3]",fCommits),assertArgument(Array.isArray(fProofs),
"invalid EIP-7594 network format: proofs not an array","fields[4]",fProofs),assertArgument(fBlobs.length===fCommits.length,
"invalid network format: blobs/commitments length mismatch","fields",fields),assertArgument(fBlobs.length*CELL_COUNT===fProofs.
length,"invalid network format: blobs/proofs length mismatch","fields",fields),blobs=[];for(let i=0;i<fBlobs.length;i++){
let proof=[];for(let j=0;j<CELL_COUNT;j++)proof.push(fProofs[i*CELL_COUNT+j]);blobs.push({data:fBlobs[i],commitment:fCommits[i],
proof:concat(proof)})}fields=fields[0]}assertArgument(Array.isArray(fields)&&(fields.length===11||fields.length===14),`i\
nvalid field count for transaction type: ${typeName}`,"data",hexlify(data));let tx={type:3,chainId:handleUint(fields[0],
"chainId"),nonce:handleNumber(fields[1],"nonce"),maxPriorityFeePerGas:handleUint(fields[2],"maxPriorityFeePerGas"),maxFeePerGas:handleUint(
fields[3],"maxFeePerGas"),gasPrice:null,gasLimit:handleUint(fields[4],"gasLimit"),to:handleAddress(fields[5]),value:handleUint(
fields[6],"value"),data:hexlify(fields[7]),accessList:handleAccessList(fields[8],"accessList"),maxFeePerBlobGas:handleUint(
fields[9],"maxFeePerBlobGas"),blobVersionedHashes:fields[10],blobWrapperVersion};blobs&&(tx.blobs=blobs),assertArgument(
tx.to!=null,`invalid address for transaction type: ${typeName}`,"data",data),assertArgument(Array.isArray(tx.blobVersionedHashes),
"invalid blobVersionedHashes: must be an array","data",data);for(let i=0;i<tx.blobVersionedHashes.length;i++)assertArgument(
isHexString(tx.blobVersionedHashes[i],32),`invalid blobVersionedHash at index ${i}: must be length 32`,"data",data);return fields.
length===11||_parseEipSignature(tx,fields.slice(11)),tx}__name(_parseEip4844,"_parseEip4844");function _serializeEip4844(tx,sig,blobs){
let fields=[formatNumber(tx.chainId,"chainId"),formatNumber(tx.nonce,"nonce"),formatNumber(tx.maxPriorityFeePerGas||0,"m\
axPriorityFeePerGas"),formatNumber(tx.maxFeePerGas||0,"maxFeePerGas"),formatNumber(tx.gasLimit,"gasLimit"),tx.to||ZeroAddress,
formatNumber(tx.value,"value"),tx.data,formatAccessList(tx.accessList||[]),formatNumber(tx.maxFeePerBlobGas||0,"maxFeePe\
rBlobGas"),formatHashes(tx.blobVersionedHashes||[],"blobVersionedHashes")];if(sig&&(fields.push(formatNumber(sig.yParity,
"yParity")),fields.push(toBeArray(sig.r)),fields.push(toBeArray(sig.s)),blobs)){if(tx.blobWrapperVersion!=null){let wrapperVersion=toBeArray(
tx.blobWrapperVersion),cellProofs=[];for(let{proof}of blobs){let p=getBytes(proof),cellSize=p.length/CELL_COUNT;for(let i=0;i<
p.length;i+=cellSize)cellProofs.push(p.subarray(i,i+cellSize))}return concat(["0x03",encodeRlp([fields,wrapperVersion,blobs.
map(b2=>b2.data),blobs.map(b2=>b2.commitment),cellProofs])])}return concat(["0x03",encodeRlp([fields,blobs.map(b2=>b2.data),
blobs.map(b2=>b2.commitment),blobs.map(b2=>b2.proof)])])}return concat(["0x03",encodeRlp(fields)])}__name(_serializeEip4844,
"_serializeEip4844");function _parseEip7702(data){let fields=decodeRlp(getBytes(data).slice(1));assertArgument(Array.isArray(
fields)&&(fields.length===10||fields.length===13),"invalid field count for transaction type: 4","data",hexlify(data));let tx={
type:4,chainId:handleUint(fields[0],"chainId"),nonce:handleNumber(fields[1],"nonce"),maxPriorityFeePerGas:handleUint(fields[2],
"maxPriorityFeePerGas"),maxFeePerGas:handleUint(fields[3],"maxFeePerGas"),gasPrice:null,gasLimit:handleUint(fields[4],"g\
asLimit"),to:handleAddress(fields[5]),value:handleUint(fields[6],"value"),data:hexlify(fields[7]),accessList:handleAccessList(
fields[8],"accessList"),authorizationList:handleAuthorizationList(fields[9],"authorizationList")};return fields.length===
10||_parseEipSignature(tx,fields.slice(10)),tx}__name(_parseEip7702,"_parseEip7702");function _serializeEip7702(tx,sig){
let fields=[formatNumber(tx.chainId,"chainId"),formatNumber(tx.nonce,"nonce"),formatNumber(tx.maxPriorityFeePerGas||0,"m\
axPriorityFeePerGas"),formatNumber(tx.maxFeePerGas||0,"maxFeePerGas"),formatNumber(tx.gasLimit,"gasLimit"),tx.to||"0x",formatNumber(
tx.value,"value"),tx.data,formatAccessList(tx.accessList||[]),formatAuthorizationList(tx.authorizationList||[])];return sig&&
(fields.push(formatNumber(sig.yParity,"yParity")),fields.push(toBeArray(sig.r)),fields.push(toBeArray(sig.s))),concat(["\
0x04",encodeRlp(fields)])}__name(_serializeEip7702,"_serializeEip7702");var Transaction=class _Transaction{static{__name(
this,"Transaction")}#type;#to;#data;#nonce;#gasLimit;#gasPrice;#maxPriorityFeePerGas;#maxFeePerGas;#value;#chainId;#sig;#accessList;#maxFeePerBlobGas;#blobVersionedHashes;#kzg;#blobs;#auths;#blobWrapperVersion;get type(){
return this.#type}set type(value){switch(value){case null:this.#type=null;break;case 0:case"legacy":this.#type=0;break;case 1:case"\
berlin":case"eip-2930":this.#type=1;break;case 2:case"london":case"eip-1559":this.#type=2;break;case 3:case"cancun":case"\
eip-4844":this.#type=3;break;case 4:case"pectra":case"eip-7702":this.#type=4;break;default:assertArgument(!1,"unsupporte\
d transaction type","type",value)}}get typeName(){switch(this.type){case 0:return"legacy";case 1:return"eip-2930";case 2:
return"eip-1559";case 3:return"eip-4844";case 4:return"eip-7702"}return null}get to(){let value=this.#to;return value==null&&
this.type===3?ZeroAddress:value}set to(value){this.#to=value==null?null:getAddress(value)}get nonce(){return this.#nonce}set nonce(value){
this.#nonce=getNumber(value,"value")}get gasLimit(){return this.#gasLimit}set gasLimit(value){this.#gasLimit=getBigInt(value)}get gasPrice(){
let value=this.#gasPrice;return value==null&&(this.type===0||this.type===1)?BN_07:value}set gasPrice(value){this.#gasPrice=
value==null?null:getBigInt(value,"gasPrice")}get maxPriorityFeePerGas(){let value=this.#maxPriorityFeePerGas;return value??
(this.type===2||this.type===3?BN_07:null)}set maxPriorityFeePerGas(value){this.#maxPriorityFeePerGas=value==null?null:getBigInt(
value,"maxPriorityFeePerGas")}get maxFeePerGas(){let value=this.#maxFeePerGas;return value??(this.type===2||this.type===
3?BN_07:null)}set maxFeePerGas(value){this.#maxFeePerGas=value==null?null:getBigInt(value,"maxFeePerGas")}get data(){return this.#data}set data(value){
this.#data=hexlify(value)}get value(){return this.#value}set value(value){this.#value=getBigInt(value,"value")}get chainId(){
return this.#chainId}set chainId(value){this.#chainId=getBigInt(value)}get signature(){return this.#sig||null}set signature(value){
this.#sig=value==null?null:Signature2.from(value)}isValid(){let sig=this.signature;if(sig&&!sig.isValid())return!1;let auths=this.
authorizationList;if(auths){for(let auth of auths)if(!auth.signature.isValid())return!1}return!0}get accessList(){let value=this.#accessList||
null;return value??(this.type===1||this.type===2||this.type===3?[]:null)}set accessList(value){this.#accessList=value==null?
null:accessListify(value)}get authorizationList(){let value=this.#auths||null;return value==null&&this.type===4?[]:value}set authorizationList(auths){
this.#auths=auths==null?null:auths.map(a=>authorizationify(a))}get maxFeePerBlobGas(){let value=this.#maxFeePerBlobGas;return value==
null&&this.type===3?BN_07:value}set maxFeePerBlobGas(value){this.#maxFeePerBlobGas=value==null?null:getBigInt(value,"max\
FeePerBlobGas")}get blobVersionedHashes(){let value=this.#blobVersionedHashes;return value==null&&this.type===3?[]:value}set blobVersionedHashes(value){
if(value!=null){assertArgument(Array.isArray(value),"blobVersionedHashes must be an Array","value",value),value=value.slice();
for(let i=0;i<value.length;i++)assertArgument(isHexString(value[i],32),"invalid blobVersionedHash",`value[${i}]`,value[i])}
this.#blobVersionedHashes=value}get blobs(){return this.#blobs==null?null:this.#blobs.map(b2=>Object.assign({},b2))}set blobs(_blobs){
if(_blobs==null){this.#blobs=null;return}let blobs=[],versionedHashes=[];for(let i=0;i<_blobs.length;i++){let blob=_blobs[i];
if(isBytesLike(blob)){assert(this.#kzg,"adding a raw blob requires a KZG library","UNSUPPORTED_OPERATION",{operation:"se\
t blobs()"});let data=getBytes(blob);if(assertArgument(data.length<=BLOB_SIZE,"blob is too large",`blobs[${i}]`,blob),data.
length!==BLOB_SIZE){let padded=new Uint8Array(BLOB_SIZE);padded.set(data),data=padded}let commit=this.#kzg.blobToKzgCommitment(
data),proof=hexlify(this.#kzg.computeBlobKzgProof(data,commit));blobs.push({data:hexlify(data),commitment:hexlify(commit),
proof}),versionedHashes.push(getVersionedHash(1,commit))}else{let data=hexlify(blob.data),commitment=hexlify(blob.commitment),
proof=hexlify(blob.proof);blobs.push({data,commitment,proof}),versionedHashes.push(getVersionedHash(1,commitment))}}this.#blobs=
blobs,this.#blobVersionedHashes=versionedHashes}get kzg(){return this.#kzg}set kzg(kzg){kzg==null?this.#kzg=null:this.#kzg=
getKzgLibrary(kzg)}get blobWrapperVersion(){return this.#blobWrapperVersion}set blobWrapperVersion(value){this.#blobWrapperVersion=
value}constructor(){this.#type=null,this.#to=null,this.#nonce=0,this.#gasLimit=BN_07,this.#gasPrice=null,this.#maxPriorityFeePerGas=
null,this.#maxFeePerGas=null,this.#data="0x",this.#value=BN_07,this.#chainId=BN_07,this.#sig=null,this.#accessList=null,
this.#maxFeePerBlobGas=null,this.#blobVersionedHashes=null,this.#kzg=null,this.#blobs=null,this.#auths=null,this.#blobWrapperVersion=
null}get hash(){return this.signature==null?null:keccak2562(this.#getSerialized(!0,!1))}get unsignedHash(){return keccak2562(
this.unsignedSerialized)}get from(){return this.signature==null?null:recoverAddress(this.unsignedHash,this.signature.getCanonical())}get fromPublicKey(){
return this.signature==null?null:SigningKey.recoverPublicKey(this.unsignedHash,this.signature.getCanonical())}isSigned(){
return this.signature!=null}#getSerialized(signed2,sidecar){assert(!signed2||this.signature!=null,"cannot serialize unsi\
gned transaction; maybe you meant .unsignedSerialized","UNSUPPORTED_OPERATION",{operation:".serialized"});let sig=signed2?
this.signature:null;switch(this.inferType()){case 0:return _serializeLegacy(this,sig);case 1:return _serializeEip2930(this,
sig);case 2:return _serializeEip1559(this,sig);case 3:return _serializeEip4844(this,sig,sidecar?this.blobs:null);case 4:
return _serializeEip7702(this,sig)}assert(!1,"unsupported transaction type","UNSUPPORTED_OPERATION",{operation:".seriali\
zed"})}get serialized(){return this.#getSerialized(!0,!0)}get unsignedSerialized(){return this.#getSerialized(!1,!1)}inferType(){
let types=this.inferTypes();return types.indexOf(2)>=0?2:types.pop()}inferTypes(){let hasGasPrice=this.gasPrice!=null,hasFee=this.
maxFeePerGas!=null||this.maxPriorityFeePerGas!=null,hasAccessList=this.accessList!=null,hasBlob=this.#maxFeePerBlobGas!=
null||this.#blobVersionedHashes;this.maxFeePerGas!=null&&this.maxPriorityFeePerGas!=null&&assert(this.maxFeePerGas>=this.
maxPriorityFeePerGas,"priorityFee cannot be more than maxFee","BAD_DATA",{value:this}),assert(!hasFee||this.type!==0&&this.
type!==1,"transaction type cannot have maxFeePerGas or maxPriorityFeePerGas","BAD_DATA",{value:this}),assert(this.type!==
0||!hasAccessList,"legacy transaction cannot have accessList","BAD_DATA",{value:this});let types=[];return this.type!=null?
types.push(this.type):this.authorizationList&&this.authorizationList.length?types.push(4):hasFee?types.push(2):hasGasPrice?
(types.push(1),hasAccessList||types.push(0)):hasAccessList?(types.push(1),types.push(2)):(hasBlob&&this.to||(types.push(
0),types.push(1),types.push(2)),types.push(3)),types.sort(),types}isLegacy(){return this.type===0}isBerlin(){return this.
type===1}isLondon(){return this.type===2}isCancun(){return this.type===3}clone(){return _Transaction.from(this)}toJSON(){
let s=__name(v=>v==null?null:v.toString(),"s");return{type:this.type,to:this.to,data:this.data,nonce:this.nonce,gasLimit:s(
this.gasLimit),gasPrice:s(this.gasPrice),maxPriorityFeePerGas:s(this.maxPriorityFeePerGas),maxFeePerGas:s(this.maxFeePerGas),
value:s(this.value),chainId:s(this.chainId),sig:this.signature?this.signature.toJSON():null,accessList:this.accessList}}[inspect2](){
return this.toString()}toString(){let output2=[],add=__name(key=>{let value=this[key];typeof value=="string"&&(value=JSON.
stringify(value)),output2.push(`${key}: ${value}`)},"add");this.type&&add("type"),add("to"),add("data"),add("nonce"),add(
"gasLimit"),add("value"),this.chainId!=null&&add("chainId"),this.signature&&(add("from"),output2.push(`signature: ${this.
signature.toString()}`));let auths=this.authorizationList;if(auths){let outputAuths=[];for(let auth of auths){let o=[];o.
push(`address: ${JSON.stringify(auth.address)}`),auth.nonce!=null&&o.push(`nonce: ${auth.nonce}`),auth.chainId!=null&&o.
push(`chainId: ${auth.chainId}`),auth.signature&&o.push(`signature: ${auth.signature.toString()}`),outputAuths.push(`Aut\
horization { ${o.join(", ")} }`)}output2.push(`authorizations: [ ${outputAuths.join(", ")} ]`)}return`Transaction { ${output2.
join(", ")} }`}static from(tx){if(tx==null)return new _Transaction;if(typeof tx=="string"){let payload=getBytes(tx);if(payload[0]>=
127)return _Transaction.from(_parseLegacy(payload));switch(payload[0]){case 1:return _Transaction.from(_parseEip2930(payload));case 2:
return _Transaction.from(_parseEip1559(payload));case 3:return _Transaction.from(_parseEip4844(payload));case 4:return _Transaction.
from(_parseEip7702(payload))}assert(!1,"unsupported transaction type","UNSUPPORTED_OPERATION",{operation:"from"})}let result=new _Transaction;
return tx.type!=null&&(result.type=tx.type),tx.to!=null&&(result.to=tx.to),tx.nonce!=null&&(result.nonce=tx.nonce),tx.gasLimit!=
null&&(result.gasLimit=tx.gasLimit),tx.gasPrice!=null&&(result.gasPrice=tx.gasPrice),tx.maxPriorityFeePerGas!=null&&(result.
maxPriorityFeePerGas=tx.maxPriorityFeePerGas),tx.maxFeePerGas!=null&&(result.maxFeePerGas=tx.maxFeePerGas),tx.maxFeePerBlobGas!=
null&&(result.maxFeePerBlobGas=tx.maxFeePerBlobGas),tx.data!=null&&(result.data=tx.data),tx.value!=null&&(result.value=tx.
value),tx.chainId!=null&&(result.chainId=tx.chainId),tx.signature!=null&&(result.signature=Signature2.from(tx.signature)),
tx.accessList!=null&&(result.accessList=tx.accessList),tx.authorizationList!=null&&(result.authorizationList=tx.authorizationList),
tx.blobVersionedHashes!=null&&(result.blobVersionedHashes=tx.blobVersionedHashes),tx.kzg!=null&&(result.kzg=tx.kzg),tx.blobWrapperVersion!=
null&&(result.blobWrapperVersion=tx.blobWrapperVersion),tx.blobs!=null&&(result.blobs=tx.blobs),tx.hash!=null&&(assertArgument(
result.isSigned(),"unsigned transaction cannot define '.hash'","tx",tx),assertArgument(result.hash===tx.hash,"hash misma\
tch","tx",tx)),tx.from!=null&&(assertArgument(result.isSigned(),"unsigned transaction cannot define '.from'","tx",tx),assertArgument(
result.from.toLowerCase()===(tx.from||"").toLowerCase(),"from mismatch","tx",tx)),result}};function hashAuthorization(auth){return assertArgument(typeof auth.address=="string","invalid address for hashAuthorizat\
ion","auth.address",auth),keccak2562(concat(["0x05",encodeRlp([auth.chainId!=null?toBeArray(auth.chainId):"0x",getAddress(
auth.address),auth.nonce!=null?toBeArray(auth.nonce):"0x"])]))}__name(hashAuthorization,"hashAuthorization");function verifyAuthorization(auth,sig){
return recoverAddress(hashAuthorization(auth),sig)}__name(verifyAuthorization,"verifyAuthorization");function id(value){return keccak2562(toUtf8Bytes(value))}__name(id,"id");var COMPRESSED$1="AEkVMQnvDV0B0wKWAQYBQgDpATQAoQDcAIUApwBsAOMAcACTAEUAigBRAHkAPgA/ACwANwAoAGIAHgAvACsAJQAXAC8AHAAhACIALw\
AVACsAEQAiAAsAGwARABgAFwA7ACoAKwAsADQAFgAtABIAHAAhAA4AHQAdABUAFgAZAA0ADgAXABAAGQAUABIEtAYQASIUOjfDBdMAsQCuPwFnAKUBA10jAK\
5/Ly8vLwE/pwUJ6/0HPwbkMQVXBVgAPSs5APa2EQbIwQuUCkEDyJ4zAsUKLwKOoQKG2D+Ob4kCxcsCg/IBH98JAPKtAUECLY0KP48A4wDiChUAF9S5yAwLPZ\
0EG3cA/QI5GL0P6wkGKekFBIFnDRsHLQCrAGmR76WcfwBbBpMjBukAGwA7DJMAWxVbqft7uycM2yDPCLspA7EUOwD3LWujAKF9GAAXBCXXFgEdALkZzQT6CS\
BMNwmXCYgeG1ZZTOODQgATAAwAFQAOa1QAIQAOAEfuFdg98zlYypXmLgoQHV9NWD3sABMADAAVAA5rIFxAlwDD6wAbADkMxQAbFVup+3EB224cHQVbBeIC0J\
8CxLAKTBykZRRzGm1M9QC7DWcC4QALLTSJF8mRAoF7ARMbAL0NZwLhAAstAUhQJZFMCgMt+wUyCddpF60B10MASSsSdwIxFiEC6ye5N2sAOeEB9SUAxw7LtQ\
EbY4EAsQUABQCK00kFG8MfBxcAqCfRAaErLQObAGcBChk+7Td0BBgXAKoBxwIhANMrEnM681CwBZA6dyc1SAX6JwVZBVivuAVpO11CEjpYQZd7k2ZfofgLEw\
PFByXxdyMEo0sCU1MCdRurJwGPo6U1WwNFFwSDYQkA0QarPy8jBykCOV0AawFhH3EAgx0ZAJUBSbcAJ2kXAa/FAzctIUNTAW9ZBmUCZQDxSRcDKQEFAElBAK\
sAXQBzACu1Bgfz7xmNfwAJIQApALMbRwHRAdsHCzGXeIHoAAoAEQA0AD0AODN3edPAEF8QXAFNCUxsOhULAqwPpgvlERUM0SrL09gANKkH6wNTB+sDUwNTB+\
sH6wNTB+sDUwNTA1MDUxwK8BrTwBBfD0gEbQWOBYsE1giDJkkRgQcoCNJUDXQeHEcDRQD8IyVJHDuTMwslQkwMTQMH/DZCbKd9OANHMatU9ZCiA8syTzlsAR\
5xEqAAKg9zHDW1Tn56R3GgCktPrrV/SWJOZwK+Oqg/+AohCZNvu3dOBj0QFyehEPMMLwGxATcN6UvUBO0GNwTFH3kZFQ/JlZgIoS3ZDOkm3y6dgFYj8Sp/Be\
lL8DzZC0lRZA9VC2EJ3zpfgUoDHQEJIocK2Q01CGkQ7wrFZw3hEUEHNQPRSZYAoQb9Cw0dMRWxJgxiqAsFOXMG9xryC4smqxMlevgFzxodBkkBJRr7AMsu44\
WsWi1cGE9bBf8LISPDFKRQHA0hQLN4RBoXBxElpQKNQ2xKg1EyHo8h8jw5DWIuD1F4B/E8ARlLC308mkanRQoRzj6JPUQiRUwoBDF7LCsnhwnLD4EMtXxuAV\
UJHQmtDG0TLRETN8EINQcVKZcgJxEIHUaRYJYE85sD7xPNAwcFOwk9Bw8DsRwpEyoVJQUJgSDTAu820S6vAotWfAETBccPIR/bEExH3A7lCJcCYQN/JecAKR\
UdABMilwg/XwBbj9RTAS7HCMNqaCNwA2MU410RbweNDlMHoxwvFbsc3XDEXgeGBCifqwlXAXEJlQFbBN8IBTVXjJwgPWdPi1QYlyBdQTtd+AItDGEVm0S5h3\
QChw9nEhcBMQFvBzUM/QJzEekRZxCRCOeGADWxM/Q6IQRLIX8gDQojA0tsygsjJvUM9GUBnxJeAwg0OXfqZ6dgsiAX+QcVMsFBXCHtC45PyQyYGr0YPlQqGe\
AHuwPvGu8n5kFTBfsDnw86STPqBLkLZQiHCTsARQ6fEwfTGGYKbYzMAS2HAbOVA1ONfwJriwYzBwcAYweDBXXhABkCowifAAEAywNTADUCqQeZABUAgT0BOQ\
MjKwEd4QKLA48ILccBkSsB7yUEF78MEQDzM25GAsOtAoBmZp4F2VQCigJFMQFJIQQBSkNNA6tt3QDXAEcGD9tDARGnRscW3z8B22snAMMA9wABMQcBPQHJAe\
9pALMBWwstCZ6vsQFJ5SUAfwARZwHTAoUA2QAxAHvtAU8ASQVV9QXPAktFAQ0tFCdTXQG3AxsBLwEJAHUGx4mhxQMbBGkHzwIQFxXdAu8qB7EDItsTyULBAr\
3aUQAyEgo0CrUKtB9f81wvAi1uPUwACh+kPsM/SgVNO087VDtPO1Q7TztUO087VDtPO1QDk7veu94KaF9BYecMog3QRMQ6RRPXYE1gLhPELbMUvRXKJVIZOR\
q4JwEl4FUFDwAtz2YsCCg0cRe4ADspZIM9Y4IeLApHHONTjVT0LRcArUueM6sNqBsRRDwFQ3XpYiYWCgoeAmR9AmI+V0mrVzccAqHzAmiUAmYFAp+AOBcHAm\
Y3AmYiBGoEewN/DwN+jjkCOXMTOX46Hx8CbBkCMjI4BgJtwwJtquuGL2NBJwFjANoA3QBGAQeUDIkA+ge+AAmxAncrAnaeOwJ5Rz8CeLYZWNdFqkbTAnw7An\
rEAn0FAnzsBVUFHEf8SHlfIAAnEUlUSlcRE0rIAtD9AtDISyMDiEsDh+JEwZEuAvKdXP8DA6pLykwpIctNSE2rAos7AorUvRcDGT9jAbMCjjMCjlg8k30Cjt\
UCjlh0UbBTMQZS0FSBApP3ApMIAOUAGFUaVatVzAIsFymRgjLdeGJFNzUCl5sC765YHaQAVSEClosClniYAKVZqFoFfUkANwKWsQKWSlxAXM0CmccCmWBcxl\
0DFQKclzm+OpkCnBICn5cCnrSGABkLLSYLAp3tAp6OALE5YTBh6wKezwKgagGlAp6bGwKeSqFjxGQjIScCJ6sCJnoCoPcCoEgCotkCocACpisCpcoCp/sAeQ\
Kn7mh4aK3/RWoYas0CrN8CrKoCrWMCrP4CVxkCVdgCsd3TAx9KbJMCsrkJArLkE2zcbV9tRFsDJckCtlg3O26MAylBArhaArlDEQK5JnNwMnDdAr0VArvWcJ\
IDMg0CvoRx/gMzbQK+FnMec0sCw8cCwwBzfnRHMUF03AM8owM8lgM9uwLFeALGQwLGDIUCyGVNAshAAslLAskqAmSZAt3OeHVdeKp5IUvMAxifZv4CYfAZ75\
Ugewdejl63DQLPZwLPaCtHT87vD5sAwqkCz28BJeYDTg5+RwEC3CMC24YC0ksDUlgDU1sA/QNViICFO8cS6VxBghiCz4LKg4kC2sMC2dqEDIRFpzgDhqEAKw\
NkCoZtVfUAUQLfYQLetG9zAuIr7RAB8ywjAfSXAfLOgwLr7wLpbHUC6vUC6uAA9UMBtQLuhQLrmJamlv8C7jsDhdyYdXDccZ0C8v8AZQOOEpmPAvcPA5FqA5\
KDAveUAvnVAvhimhiap7czmxoDnX8C/vYBFwA1nxifrwMFiQOmZgOm1QDNwQMGZqGEogEFAwxFAQsBGwdpBl21YwEAtwRnuw2HHq8JABNxNQAfAy8SSQOFew\
FfIx0AjOsAHQDmnwObjQizBhufwQCnBRG76R09PhZ4BWg3PkArQiFCtF9xEV+8AJbFBTIAkEwZm7k7JmAyEbrPDi8YxhiJyfYFVwVYBVcFWAVjBVgFVwVYBV\
cFWAVXBVgFVwVYRhUI14VnAgICCmRe6SsEyQOxBi+7uwC7BKe7AOdAKRayBUY+aT5wQj9Ctl91N1/oAFgRM6sAjP7Ma8v8pudGej0mIwQrFic2NX5t32rB8R\
nCLGkBa9duMBcFXwVqycHJuAjPSVsAAAAKfF59i74AMz+BAAMW0QblrSMFAIzDCwMBDQDlZR09JB9KQrFCvEE4I18nYDYnOCMJwT0KRD9DPng+gT5wPnECiU\
K8SUI7X8tOT2pNCixrVC9qC24fX+AzOhsJZ5sKYiMrPB0mQqtCvCvMAcv8X8kOHy4JCAkifp3fajotShfJq8msCWXBy8wKYEFfD+UQoxEAk40dRUIlG6ltOc\
44CjM/Qz5wQj8cBwodTEdsWywtWuG8Egp97R0rQj8cXQhKCQ4zVENCNwQ7Q5wsCoEbLUI/G/UIUyIjGDAxAAWPYfBeCnFkyWALYC0jbkNgGTkCGx5gswYCax\
BlTmBNEQFk52AVYJVgfWCzYEtgkWgWFwa1DtxVqbxaC0MWqwG7K83BAh8VABwDHgF5AmwvMJVSgAGKCrhHGgDkI3SOCsoNpk3qAZsCh5xPBUBfAPf3BwA0Fl\
cMC6UMJB+6r0eAgQw0ABUTnyuCCHoC0gtLZREbANhOBnUECh5aADEAtritAJQnCxZvqyQ4nxkBWwGGCfwD2e0PBqoGSga5AB3LValaCbthE4kLLT8OuwG7AS\
ICR1ooKCggHh8hLBImBiEMjQBUAm5XkEmVAW4fD3FHAdN1D85RIBmpsE3qBxEFTF8A9/cHAHoGJGwKKwulODAtx69WDQsAX7wLAGNAlQh6AOpN7yIbvwAxAL\
a4rQCUJy07Ds4CkBh7ULtYyHRyjsOlmw/ZFUkb7AEpEFwSBh/lAccJOhCTBQ8rDDYLABEAs+AiAQIApADhAJiCCrJrOS8AFABbG8YubHYqDcEQAjskHNPhHB\
4LG30CewTBCqrxbAAnLQ6mLs6hHAe7CQAQOg+7GkcczaF3HgE9Kl8cLs4RGQB9q9ocAuugCAHCAULz5B9lAb4Jtwz6CDwKPgAFwAs9AksNuwi8DTwKvAk8Dr\
sFmAEbawouzqEqD4sa4QHDAREWOwCgCzsLuxC7BBiqe9wAO2sMPAACpgm8BRvQ9QUBvgH6bsoGewG7D00RErwBAQDqAQAAdBVbBhbLFPxvF7sYOxjbL7Ztvg\
NIqLsAB7sALrsC6w5WAAq7BAAeuwJVICp/FTwVuwG+J+QAsloBvSjgo7vIAAFbAAG7AAJbAALjAAg7AA67AgAbu6VbDr/EAPQAaPuoOwMBu5UnSwDn3Rm7CB\
p7CKEFCv9wAN+7p7sau6OLeXIG+6mbgwASuwYbCwG8AACGAG27BgALu6c7ARo7ugihnMoBuwvtB8CpOwDhewG/AADlABW7AAb7AAm7AGmLABq7GLuOaRX7AA\
5rAC5LHgAGuwAXuwghAA1KAcIAt68mAcAAALQADpsAHBsBv/7hCqEABcYLFRXbAAebAEK7AQIAabsAC3sAHbsACLsJoQAFygBunxnVAJEIIQAFygABOwAH2w\
AdmwghAAaaAAl7ABsrAG0bAOa7gAAIWwAUuwkhAAbKAOOLAAk7C6EOxPtfAAc7AG6cQEgARwADOwAJrQM3AAcbABl7Abv/Aab7AAobAAo7AAn7p+sGuwAJGw\
ADCwAQOwAIPAAUOwARawAPiwAN6wANuwAZCwYWGwAVOwBumxm7ALobLgATOwMAaSsKAOFLAAI7AARSABd7BRsABtAAGLsAC/sAX7sAa/sA5IsBuwAXdgG8AA\
FyC6EABUoAbXYAB/sA5XsAHGseAXsoUgA5RQD+Bw0McgAoKnABpAUIXgG8XiMMCQdvS2xfKokfPBRiLTYDoQq0AdgAFgLRA24BdnJHUhQhA08CFT4BLAYDc0\
a8e1J6QAApADEB+wBTCtsAe5AsASsAduUNETJGAUoAVwUAAVABB4rMAHg7BCClAFoA1hUAlWg3H4sAzWuxAM/UFgjCdXMbGFYdCdEBiJCrIlNTTUgSPMKJ+Q\
B/HDdAKSvgEZdPAHIBKSwwKUIZDwMwVQT3xe4AS2XcAGoCcQI/EXo6x3guNdUGBQAQGx0KCAwqBB8dKU5TTgi5ugAKEs0AJgABGgCGAIkAjjUA7gC0AOAAnT\
wAuwCrAKYAoQDyAJ8A0wCcAOsBDAEHAMAAeQBaAMsAzQEHANcA6wCIAKIBNQDjANgA1QMBByoz1NTU1LbA3M3QzkMyFwFNAVcvRwFVAWQBYwFWAUdLQ0VoDQ\
FOFQcIAzI2DAcAIg0kJiksODo6PT09Pj8OQB5RUVFRU1NSUylUVVdWVhxdYWFgYmEjZmhwb3JycnJycnR0dHR0dHR0dHR0dnZ3dnVbAEDsAEUAlgB0AC4AYv\
IAigBTAFMAMwJz6QCH//LyAGAAj+wAmwBLAF4AYPn5qgCBAIEAZQBSAK0AHgCyAH8CPAI/APgA4wD6APoA5AD7AOUA5QDkAOIAKQJ3AU0BPAE6AVABOgE6AT\
oBNQE0ATQBNAEYAVQPACsIAABNFwoWAxUWDgCKAJIAogBLAGQYAi0AcABpAJEDEgMkKgMeQT5HKQCLAksAwwJTAqAAugKSApICkgKSApICkgKHApICkgKSAp\
ICkgKSApECkQKUApwCkwKSApICkAKQApACkAKOApECcQHQApMCmwKSApICkRZ5CwD6BQOnAl0CNhcBUBA1At4RCisTAUo3E02RAXekPAFlWQD/Az1HAQAAky\
keGI9qAClgAGkALgCJA5TMi/CuhFoFuisOwhEBndV0KgsEIzFsATNabAGyAN5+gH9+gH6BgoJ+g4aEfoWIhoCHgoiCiX6Kfot+jIqNfo5+j4KQfpF+kn6Tfp\
SDlYiWgpd+2gLabOEC2GwAgmwkbKAAg2xsBEkERgRIBEsESQRPBEwERwRNBE8ETgRKBEwETwCWZmwAowOIbAC0ZgEFbADJUWxsAM9sAgxsAPZabAD2ARkA9g\
D0APQA9QD0A31ebNSEI2XAAPYA9AD0APUA9BxsbACJWmwA9gCJARkA9gCJAL4A6AAIAPYAiQN9XmzUhCNlwBxsAPdabAEZAPYA9gD0APQA9QD0APcA9AD0AP\
UA9AN9XmzUhCNlwBxsbACJWmwBGQD2AIkA9gCJAu0A9gCJAL4CNwD3AIkDfV5s1IQjZcAcbAJDATZsAkoBOWwCS8FsbAJXbGwDnwLtA58DnwOgA6ADoAOg1I\
QjZcAGA31ebBxsbACJWmwBGQOfAIkDnwCJAu0DnwCJAL4CNwOfAInUhCNlwAYDfV5sHGwEPmwAiQQ/AIkGjTFtIDFs1m4DKGwDrAJsbABVWv4VMgJsbACJAm\
wAVAEAul5sAmxebGwAiV5sAmxebD3YAEls1gJsbEbCxxP/x5BApA0KYFA89AsjTx97EHmJQPyocItC2JnNFRCEnFU6SFTDoI0PxeRNRoNRWkpzVnWW8pTagk\
Nmgf+jGupqZ3eu50LAFnc+OzfJwdub1AdpOy76VnijWNR/CMEevikQkFyQuLuPajxWi9chqOoMJ7qpCN4sx3LJG4Myu8kD68wC6+iAwt+pU1JEeY13rpCVkX\
SZfinVKn4xZpxsI3Lp8bJLrJ9ujkrIalMRBAcv/GSKEtowzcEn5XmJw2BagB8V2UWJoJHZ14SXhM7p0XeGFOuw6mlvyq99WYp5XxrO6ru9nn4RHcOkJ7hx5U\
qWtman7yVMLzYXQefQRUdIY70RYQE8+aAzCNSGQkXiHfnHYRMi+xczKDdZLk3AV1gzxkkSHLjBwuq8shIJ+/RAbqjqQbugFhe0rqklu432EERkM5k9y1DXzd\
s46oLqKAx6OhPT2WiqEfhaITn7OF9Y694AmKmUvbpWp0xJqDaf3jeNJXnK6NpnGcFOmbclbARC+5+5U52ufw5b0Hh+2LrrNimvZe4eYmApRsZnJE310SqB+1\
xB6rSJfnV1f2D0awB18Oc0sXAFqIlgHgWiaZGdvP5CJUSsCTCQUC335+iSkwPlLJJ5lwjTSn9Lw22NbK1Tu8w+bUpHtDRDPho7Gun8aw2Jzu9i+N0Ot/kPMb\
LAb/rUQ82kfpk85qLDkfxLl39QPDngo72GYh/Xigbpcm1pA23D2ywt3D8GgMOao040wDqkHxOEx0OhC+ZmHiIdjK7yRbfJD2ouZbAedhD3p7s8WDmCJfNfor\
gDYPGAXSI08fTjPZ5B37lc5VXGzc1vJmibDwBNVzXuaUzg7N5H4BxqjhJ+kz9HLUJys7bpBDYAPvbut13AwJCWd059tS8YTYgC8HwrkewBfa1LSSpmMr9uR2\
EekTiAMH+Mx4AGzgbquccwBDlLmRhgXL/YiLPCEb6d2k5qJ6o800qddABkpqt7NG+sc2uvHZwZs57W1AHTFM1KkMShasADAh2FvzbzJOzVDMS3ZlT2BSFKdn\
kZFB6JyqJbhm6XANis9TrtzJdlPVp+rl8v3nIke6Jou7m2TKu53Vounupgkz2LzrQPhhatLIG7rfF/gUKWp15X3LKt+ZvuCDSqPUigF9yJntimC1HJR7Yj/d\
UrLAXWrT+1tnwPJJLGKAlQ5VeNDWRKCTt2vz3rJuo4+gIt75/Mkfl/gSZblZ9r/SEeeosZXneli/xNh1WVCvkRt2RnyyjtMkMqhzXh1PVOCbILqv0r7rGYm0\
CHIyKdhHL90cl9E1I6eEtQTCt6RXj8M0HHrHCHLVRpNM6WIbT5BCMGVnL0o5895qSRbCJz+5I8PGMhAN/Xrj4BgIdlKqlHtBHqTJwmK169toZ2IWxNzrAbIG\
7zh85Q/LG2A4yBcaBel52zdunokB0lv3A7kXnTI7M6ZnfZ7nwuj5lkGhqSpW+w5CI/FmRlplBEbnZy1ZxS3DL8rf1YWhO5XivWZBSRh1gFsjjyj3qRG1cm/6\
ors7WsEif6WRxns1MKDZa6KrbfMQ/swIb+2nb0tqxHeii6FcgVeAjE/Xwac1owx04dJKG8R5YQgHNnEfHf0qb8WOnU0eQSjazq+IK7cSuCqYzPEUB/x+QgGZ\
qM3dBoYvNvZVOHDkbgdilWdagqO5bkybXfLpyMPuGq8mvAAEZGbR6RwXGlW9ErOWTfnjfx6dXFJqBj0OBSGFz4lWQasNOmVJeN4SFWSLfOGB/7ehV5YuoNNR\
OHZEG9ElVuMnqbDMMuDleOt/cN/gsWxGw128mwU8/HxkOKqdTZnI7dHka67WCTf/FmBrxpNCaKJ1GxBTCSS7MNfhNj8S4Gtotg6Z3AM9cAeVROnppUMaiV5j\
judLnNqoVrKO1/FijLlAc74kxydxKX1RQuMqHR63eecYr5o6MJ+B78VsLlCrpelWh6GOrCOBIoQmIcdpJL1pwE2zzZqBkecGTdK8KMOB6r1eNRURyrz6M899\
TZaoS/vNOxHf+5gORU+OyYIcIW6diP25GHF6u8TNjuL/GJzCnLLXd01KrsjRa51v4+O/VIAWXESJxfxWjv628J+cWUQpoD+Yytzs3jSMRJ23/XT+vUdtUMLD\
Qq1vnIoeg/GjWh88MT6k9dRqDaQ+vodilFgvjuNw5pJpId9mfwyYeLCGb3BmHXdfQfhfPRQaupe/f8TG4Bk3eDKlYBaEK3kZYNN2Sdxz47m/vYBxvIOKtnqp\
lB1pebzuXmAr/MuzQCknKe653dzaWQQ7MUhWYWvzIZwLe1v0rXxImLaz+AkAu+sYikhouNF3EW6w4crZ6MuUiDbIAx8XhAfegcvW6x9BPb3/sCxGWu9Yyatq\
ExB+TSm69qIkI9IwhjrcnzME+jWBx4mNQm5WwLzUjSyY4FZ0aMF5YFlXUD4hL4XfOeYv5rDe2s2D/Cn+28fZ9UCnOQvXFMnQqfc0G+ZqOWWD9l/liqUPaNQz\
ZjxCHpUAD8Rcc90MniQ02ugHWsUupFUvhC9usY7zNPt5F2jO7qgzhafsQSd50jgLrC6Qx6bpHbXR3WNAu1BzGmwbz+ebGmwTjdy006Y6zipP7n/OJlvSmbq+\
SY+nefAVKK6EBMPbce5n3IdRI8+vbxCpN53rw3TvgNds1SuMiuLGxt89L71mxPDeanGhyHvOjmO56tnVpoHalQnL6TqNuqKsHjHCIKB4pCgj4WyYPvRvYvqi\
5EMr7lN3MotPR/KH7JUD1lZbU0QzfbrEBJnuQiVAyAC9vwXWp2TRU1/0aapyAH2cbglEHVAdl+1rb1u147uV0td1eNoQZsqHrIMIYVPXtLk2TIU3cJE08Pjo\
YNDpfF/IcJnYQHl6nsplczX3Rgah4NbJJHl//5scUufqsSd//kbIS406ZWoMP//+jhGUswX/5nVNz/jAj9KmXPtAmMiK+khhbn1w/mELzZMT/WxcW//y/jsH\
aOM/61oAW/CjYhJtY622/TtMYuP7bilBvbiT3vB9n8IcFPnwM78H0KfhYDRdY5PhWJ4jWRQzB+HT5NVZV56LG82hcQms+jOTT/c9Y9sx5rPi1/wB7f/+c5Uf\
UCKk3iwwCuywUc2MGnAwsXf1E5hoI55x1Q/Qby+sWH8NRjavZ8VaDsdi1NUVhH86BJHX1yaFt1w1OYeL5LVmdN+5Q+KuTvXEPDzUCg6xp0HhsUhTWSe7MZMM\
/6rsTUb0/nbUE3YQlGGt48kT1/6cnf6yHnvHtQx9EosOXN077yyEq/jE3YTiG/5SEJmXFeocJJ1EAd6vKeK6VEdJLOZ1km/EwOnZWCQpzCLKPHxrfh4yJhGq\
//2dos2E/3+MOcdW5EsgIdmTQUQetzRy5fQHhDBl37XbWzsqO/cASEDjyst1/8NEROqVAxWnddQV+umJ8IrKVgKvGaTc0GsQ4s8h0Osql5QKwlddPDjJhKIn\
yWqYUKmmlIts+FIcXZ6yM6cljbsjUG2ksSOkuIw4sYHffRNgBOLApvD6XrR6Rt0rV2Uf8IpnIUVnb9Twt91QjAaD/dStSWDxg7aYY+VXIgnuowYdOkjywa2h\
lgrnI6PjaU3e3UjQ5Yk5mdIJGyHnv3/P+1EkMav1yFyF+FeJE/RXnWBw+Nh0aOo6TGlKX7d+dkP9+brvr79SdtXJtcD/aXBGiMNfG6/NQniQHYQlK78FEHDq\
Oh+bDI0o+2Ub0h53EL/vlzjrBczVEZz2bOtvIL+DIzDkk9nCWt7tlqsq3l9JMtJk3r5HG2iJ9b/X11TG6wwMAjHLQ2oasaMEsydh88QPvI+hmqIHhvalpKoK\
OueJR0eZ9J8G2alNOIOy98jwvbc87Ewk9d+5G/tUijTmlbjFlDKXV05HalKxaRTrucc73On7yzAPS6f2v4ogiaWyWeV73dv/MsQT5HjRrsYV9dLAcI3T+zC2\
qEVINyNpEhoKV+xVSuWtT4AhBfpnZ7unIM+HX3msI0HiI+P+z2PFgkjGi5PqEbG/wNIWeRUjPtDEgbbubN+I4JaDLrW9borRBDob7ZFx+JdKeFVUKVeWqb/c\
88Ol7DhM0suLtuEd8tkDSMTD3DFx8UphPINHMHi51hAPttXL4Ektt/lKEUG/R4qZKohHjVpAcPIMiHyWr6xR8/EWnNJvBFET76yCdk5er7ADB/1bgoImhpSi\
Z/omZjPKPCEeZsOwvPmXL+1vlJNeGO3TzySmGA1X6e58gLrazDM71jywM1XL8zKHN6G3kB31Y8vLtP982N975SZXk2JwDvmv7AY/aDsFFk1v+nE7/hbvuOWh\
BH4kuemeYozPk2K22Vx/YGiDTLU7YilpOt29u3RZMBh4UJjlTP5ItxTzWv6ebL9b+GSU1Vsm2S8LMfVfJczaBSqE8J1A4YUjpsALL7++bwCPXFhaufdpDFtB\
lHb9makeYbqdg9ltvK/HwF/rNE6KrtWUkEcxmTB7Iyu5TiVaIgW/YxzQhpArliIMkOoK5L7ShVtF+DYqV01mk7fwop04hQRwg4KFmr5z9nYf05VVqkSe7gfn\
x5bxxlQ0qEV0jiwzf064qG11iEqjHcUgDWWsDs/LEGlzX31T5KVL+7D4EoKim7HBagiqRo5JI3WfDBgpKIruWz9j/J6Hp5Q/EJbMWB8NeSMuFarNw3AEYPBJ\
tYQO/4oD/ZgPTSQ06di0EeumX5EbrdThO+fvYEVSxLtZ3AJkee0Xn0sDwNtiiZhJjJRDuG1YRKB1vOulfd9JjHeyu+UHTmrtra/pm+8Rixh4WKiLaLOCxIbZ\
NoWRZSyyUGLPjAaAo+SQBpfO2uruWrzFxLlpvrXJNMCWtlJDKGAnlWK5xpU2tcxXbeD+sbdfwYXt/qTwDk6UqXR/aUt099DhSNl4Nk8mXwpw+b0nvjKOG6Mg\
1PRXjrMUMANvNgEArv8nMJs3vj1aHi8MHz/UfJWWzkcrSpZTNBhduXlGR7i+ip/THDp5R9KRNcDKECgtwgXg4EFN5HHfikP/XvsoCkHTg+NbsD8Gl6eknk4A\
rwn/BWGJ0hgW0/gUKrzuGZhub7igRP3abetpIm+24xEOlWl3YKpm2qTBFvX8ddDRvm1LcwnCJuEfZx12qPY9TrntMIQsv316zvpyWnyStX8VU4j6tQk+CWlL\
BUCJR6MdH9Cp7g2qdn2WM9qFbREmejH09dlWEPm8hPF0L7RxwRRdiCs0DP8ewk6ApoELkKU9hckSdbnXm8UHJmaNXjxv/q0fTTpu8rnl9lN0vQCpDRbCtcz1\
2rGRFEA7Cfg7FhZn5QFkNmv1ZURKEsiZce1nS9K7HrwpC7yJV4Xt3eAVbLJfoXHrtwG60Z8gwaSnmxoL3s2ZlRqggZN/MHo1oUS4L+GwObFI596Ld4Mvi8l+\
cQmF1gJpkpnDio7TuO35npaMHiWzFqPSX3qNgkIPGuX0qGYnPIVsM901Yu8oZnOZOY1TbtIdFUNKNq2dP8SJ4F/VCEzIjF0/Rh+7UrZj80tC6rognVH3mqa8\
eCs/lcQU1Pjj98kBmAKDbZUTwosv02UunRR3n0X6c+f73mtwB7/WbQ16gO431EtwZbNG1SM4TZPBnsQSESlsfG2JLQXx5xWf4bmQ/xcVCPISAX5897JxHKLD\
/Xkgu57+ABR2+MMtEbX64+MNlBHpKC7sjlWVEShf5qA+dGc59LFVlZrX/Enq9z/v+wnZ1HErmxmjJjxOA+hAjVUWgtq6ygAi/8ewJDjUMFw3zhQFtbyTLDPF\
d21Ji5S5QPZo9nMSxdg1+DGFSN0wlWt7XeYPbHqLfliV0J1kOhQNp0VbUPy0MS2Ms66OxtSWvaULaWHnfAA+sieVVgtjDwN3nKonWapkSKRN8BKKJQpCfqo8\
RQI5udhfu5s5+7vwsppmAJDgz2GNA7d43VdbV2l/SrvEu4RYslmNJmfSOVbssxAhSYy6WxpIQdDB0FVBpZ6IM8yr81QN+XLZ3n/wed/R+s6LslkxKbzzst/G\
kRbe6rFmtvJCwr1T44ETM+IMgOnjUO0eG6a1n2w7lwM1oFBvzMUWRkNFOvKcx3oSb5XdenZ5dXsute6nkRypBiSdAtA2fxAd8UdLOZW/MB7fZoEuFheQXijd\
aF8kuaRZoSeWdKOkKsGYEGaXfaDKTu0WMTcLniQs7KRCz9iK3SP+Y2xIjkfVGqFLSQ6vh+A1u6FdfwXsv1VPMfi2cxmdM+/xTgMXEyo2ZGcQ2YmPsghnYdv2\
+z48JpGZA4tUK1p1q2VdVxyfypXEXcrxKKtmt8UdW7sHWmKMqDuBBM3J/JUQx8eUYN4pJ5oRqvdiPHU1o/WPjiKvnlCqOdyxlxF54L9PrtLD1NejZ9aZDivV\
r6ZfMFK1/psVygoPIAnphcJWWb9+5IKMKmgRQULsTPZi6Bw4wP32zVEoKcHpP73CkFAqS98nSaGoWDjDJiaACJn4p5o1jq9R4Q4VcibhXF//LHP0bdf63kRV\
ZdRbbhGe7sDQcyWS5tpkfeYHnff25WK+4FpzLlAcbaKmHdIBqOw3fImx1uqQIADH0TyHzFlqTG6nMoY81svP0T6BIyELMS8tMe+E1p6TFP6sVpZa6VNaTumu\
fD5aj9goRa9SAmdJT4HhI2r0egj8UrgFb8L59wGLnYlzkLAiUd3m/WWIIEU61kPoEjd3gIVy/fiBcgqQqHnoXpL0SqLGdGGgn7DQeVMSYWHfjno1FngIKP9c\
jYaTlcRP6bZunjHP13/lbVm4awti894pTf/ZNNqr4OR+tDVie/m+rC8QpVnRbsCMPukOH87B2jM4AG6pHuXl1x9SiKdhYJVOhfo/+SCaGjUW2CoogL1FFhFG\
N9o+acoVLl0SXs/3vrSccmZeAF3NewFuOg/P12QYKQF+SH+KYcNnsAhIAELPBUgre/KRUJEA+KPD0MHRjv+3J/j2Z23MuJmkfy7leWcMsti8wXLSHgXFJTak\
sx1Woi6oljwxFVIJG12SBSZLNJDbXMYPekmiXT4FclKI35BFgqnYpKfcsr+f8HUXQoHJ9UYZ4J5YMiHHyAxg6eidhodgqJ2Htf/xYEx+G0zXchuzlt8hcAl+\
AT8NCQ4orFc4DerabF1enA7NTLnvtZh3FUwqIOvY7Q4DYmoDHwXTSw5UNNh6r7j0B/ezMYJMDcw4+6gCTZX4YQ+7Xs8de72vsR3cmfpxIX64/6KR1p3VX4F6\
vfHEzxzarh8aDH4G1DFoBBM6npXFpK+Rh+WrcFclAeAxi0PoaR9CpOxxGLSdvxKVSw8oOOanG/soKImRopN38AdcUhhM2GT/PgQeSQrG12njuJJD5Z7vWfAZ\
mFybYLdSA91kB4aoBhoj1Z//KNIVVujqaLLRwCkbyn4vh0739C9V9iSjybeOIeSOvNs7LW1a7EUtNoKAnOGML4U8KBXpfrw73WjAszJG4Qscq+Xr3kZWR4Om\
m0xT6qE9y6FNSpstV4onMZSqCEJ+3VX9qjvdx5QVrM0WXxmPZxejdfnihcFAjzv5PjlTl6ickDbHe6+Lch52pjOPqk+m3RZ+bh2JSMGtFBuODbMchrpRVlt1\
6NTQ05Ps0IDtWlUmWfP2vX8M4YDynIuOZ4Ck91+591B98Gw9fw+yQogTR8CSg0zaJu+rlBo/mr3A+1NziF+kdubz+whc857AZt6DwIBIF5+5yiaaf3ByQp1F\
m3sOkZDAzwsYSQTM/Kv6idkugF63FDobDdUY3huruU+sCaBuRR+HmOowvmZoBjZHNh77SXFtmY/oOUE7ifN7nBHAo83S/xvcS6H4Ci2u/9Id62Wv6Ui+zMNL\
AzhfkTkVcW2BwrnYvpur0ZDlzs+ZLsmGTWvd1892t78gx1YjEJusGcxphjLkV0UfAKlekfSBVWHE2ahk4AbbRmHyL7GYdtKfdlINwrcdJuf3Cee1nfUojDQn\
/YmItESOFhtLzrkEv4k2XpMU9oaJQ3VUC+1INh6BE68pkHameGJm4Gvdb24Q0fXWxd9Tp3A9mzFSe4qXDGGDIV4AAGV1jIDfveknH1TwWpUT6HiQxKP3AAHJ\
NkJeRlj/mXBmS4S1j8FK6YmpK7jyyAiRbsMCCLoJcx01fvgpMvKQRxu9IOwymconQjD56g7ksOrcOeoTbius4JnGesAS1DtgdaophYsw1wGIsMS3P7K6doE3\
K5czznqPQLSRRF/Ylzb5NtSKsL33SgskFNCF4khn5LWaDxI23ZRi2hzqN8uW8UzZEBYy68+VtGLSymQrXGUlr2nO2BbBIT5Vh1RmGAyDXaW0FPrpx3wv2UYd\
Fk9tSl+906bMxCuXQaKDQP/U19UEcVGK4gmksL8lAorxQSAOwpeYX9xrZsh6yoGaL/X5O3tgQC8OM+/GvxnW9XvAtu/JxAigydfSmZfqZfg1XOcHNOpLlN8j\
64OZ36l5qawDBJ62YaTvxeNmm5gowCdBosgcpHOgNgwA+sknN8XmsR2IYChcafl9bGNMZ/nB5guWuvEziv6QI2bP2DtyKWG/qUjZMaxy+wASkkVGtuwGtywk\
TYG6MYrZBo18vYcww48G/+f+eITA/qMwbLlJC0S3+/ai2pPvkOhRRVmGTuSupaxhIk0xoXLtixCxSAn4Z3OnUS3wBqVscLI4P3GP7i/6gxYsswsVmkvDXFLh\
O/OKcur8flegCSKiqmVpIRvCzgbjEA0mXPn+RExXY/2OE1f/BYuWpRQY8gCDpMOYBx9Gn4tL3hihSIR1ixh2PIIT7cr2gUJbfs76EKYG52Jk0UZF/PQkBxGu\
FCEWXnG6ue/hTIqjTRq1sotVrKrwIGHDrITyuanUzbIYdgdEeV88K1VD82TYB2B61Ft+tB1KqHPmT9+hWoaV+iF3SuvtJqvnoLaA8wxrD56AUMULEgzO9SvB\
cBAfqz/dzMYzwMt/YLszDbmGe1bcHHfFMcvGql9bf/tp+Hrj4q18aNnftGjmXTfws39emn7/5IBxog9MrmftAA5Oq4awenm8HimWO72dwVlHcHmutVMdrMHw\
+p2vzpzT+B0iIZ+IEpplwWhClcXlxhxAsF3CHRnnaUEqq3ByQ+cqhe5SvR4SFxh/LZoQwtj8QZQGT1BzY2EMpYnUcZWQEPlwFZw+7UryK9qV8KgruYsvyMoK\
16KI2sN4SOblrVwhyiL8+IBZ8cpUhsJQSU7TFHAi+L2F0sn0y+FtDODlnuif2Mba8QddPZYYxjTsIgkMe3M6+7kXxUfZvbCUlyq71J1eNczGk6Vqw6rSx2K3\
vM+DjLxDRGzWepTO2qTT/W8S7u0QXcyFUahcB4vq8xCYTpy8iswtnyz7Kx6lgTEQJ9RqkgEIN6DOUqB0uRdeYuDa7AP7Zy9z+ZlTsmVR5vtV71m3dmdtNeWg\
hbr5PnPJtjXAzcvZjxyV96VEx/B1TA0IEQSI50ywGuIbmAYdQg/l/rxhQLX+6uOLyFsaUt6mtjpAJkLfehnB6MlOHnNOrWLvCBqVBS07jcM+4RzLEed3f3/0\
Xwp92U+nataNHyEgnnuYR6PXEjRLETz0xrt3UglfK7Bn4aNlXG7cZco4lMziLv5+Mh2JCww3mz69Z9ZMRR/xv5EKJ38IFxKd9dw5CgPIXja/gzAshMbF14/q\
BIgNkdUQeP8YE7SrICGtiTnAKTyA9cXa3OauDHxZOdTP7yuYBzD1UcHstIO16FxF1bRUAlSkszI83YufTchU8OPnnozDl9bS0y6CnnjGwgj9M61cXcZsljjh\
LeT/Vq+30ScN2PcT/dOoxUDqDS38+OpCCzLDdnwHQc3ECQVIkaxmdPaZTSdfp2jjGzSdNLM5yPQsgJDl+ZnhclDQi8ltUnkqWJ323IvTZPN8rn0+EshL1cx9\
PiaLTzUsryn9Zp2Nt/detUAh4N/2I3dlMQqjHFxSihv0uykzflq5clMy2ZBaxoEb0/QMp03IQQus3vnZd/NOmSsmgqXqKFP3ozyDgY7RQS+npabe/hNG+5sa\
5FtvL8v0uYuag2NewYkcol3TOTadpuncCnDgOGpmLnTQ1PEPUN2cNsrW8LYfIv+hzfb7vod+ipXHzmbgj5Fzc6RcT/5PD7VQ8nTJBNj1urkVUx9uJvTWmqY0\
8OC80rGDLaWXv243VB16gjt4Xtwp5H2UDR0LiKW24Ed/sOO8jl1yEU/XAb3h7ScKnCFy/V3sICrkY1D0K9fSokHIL0s5/7DLShLAPXRbV7fbv4qj6OwHC9d5\
PlEOX3LRpQ3P7hcSAKlIKPDM83ypz56U5+rJeo0cyUtC7wltL8wqEiNSgZsDWzACc7RFoZqhlD0+sihIBQlkQTXmvUyIOZhkQX2zqME5VRC7ms1sa3CY+odM\
n3mMBiTvCMKnnCxg5ZPLq4GUDB4jF8Br2K4x4sxfWjGXQatJ25I1JyrIv2Z4bP1jKw5C+B2/s0v4dGUOsaS6IPIQV3ETQ+F2fSl2BPBXHzyYN8VmwWIrKeMX\
9pyGWuAOVXwkxJsRBaBVzLhZDP8ONGncknL5DpTxHN32GgFWMwsc0GmL0oRDmRT8u2lvjAKUIi0MmXhIHSlFeh3Qh5pP6ap4YUd6b569ZIaHgya2AyD12cPx\
Y0In/PBjzDctTaKJCU+xc6m9RkNLDEE8guvxtJP8sl8N9bLqw0F/qejaBlcHYqw31zYpsutQp07hsP1vhGdl4hJ1wA7OCsAHnKj9879uSHILEmuZ6vI1lT4t\
vnWCVKZhhYrWHW9oPKPKpbOC6FTjf/OtUvwmiXr2ykvyLzHGQeyS7BenZpL3N/CaF5T7Gkml7JXN5cj0PKaDpZVImD61FuMgFHPqSHvt4Ej4KBdAfdcoO3Aj\
QPLwwtKsgGM+ty4lNZMBEItJSRLunG5ckrM/BeoXWoPZVvEoIzLgFQYPupMwZCXis4W2SCJ2zsefZqCj+aTfSq1FYdUj2UeJALvVTf7vuuikOE1Hit3UIAGU\
i/sqgMum9vw218y1FlY/9XnOji9nqhGAcMYICc7BiqLZj5N+cKEuSAuiyWbMg81ZD1lHovy/we2eaCcCv4MzEW3O0mVA/t2xdA0cxTVbXmFhn+tARDpvDz5f\
tLr15OAAmvo2QiAky+feVO4bGibv2nlBmBzqx0lEDfEm4UnEs11pbnwZlJ/0Y73/wBPYfTNZiJKR73TzdCW1BffiJq9bLjQmaKnU0+gN8sfe25IKSUCooQwx\
ePDrFn3a/zUgWxvPoTYVXfobY/GV2qqTkeVDV9D8657fhY0/wiaJ5NfLxhXbE/naxs34N0hd6vxNfdm1TCnozm/NKSCThchoYgMF7Z2tzXFovRfsNVkf86Jj\
rM60r7UIuV3bsmfrMOqzjXjN6HPBG25zCJ3QLueySbj9oFvX/HxWBqh31PBPxduCVAxMqC9HK+YL3oBZqBruoh6LKvdMqoz0PYXUBrwbiioyE8Tj5ImjJmiO\
OWLbAZvIZ/l9rIPljx3T5glJ2ewlfuIT5GlodQsAf/IEtmYkML5SRQGxxwW+rlZkD8belJNu09Itwx9xDULTnemVDeojdbgcd2gKGM9aO00Jivtbs7ZyOSE8\
IPh98GfvatD8Ud5uHcZfAfMiPSlIxd4UqeSDzuNfbKDuFepkyC/s3j9fawmhY1b9NqDi0ZS5eP35l7rL2eK5QlWLlyCmxx8AFaFiTuD2pMUxZV5mBSJuJduO\
aq2ZrWpu28DE8jl/hisBz7bGWH6qLF0ayWNq1Sejtcs8KQrQqJk5P9QHDYHOIolgNsMDmEaWcTelghbfFCDqWrq6YLwDWy+m68ec5nShgq2fduUBpQUuKKKg\
nttaUX9PRfMmxqJyU7e0RLr1bev+ge1KK0bZyhHKKDE8gQX9Vf7rNHWOxBtZcxwwGusyMpH77qWZxXsQmbgIGhtiO+gSSRCyu/ek+OFsz1HMiQH0IHV7PjJi\
3dszYfFp8ue9h4+AfKte4MTiehPvxNcm/T1t9vsFZx8rHN5ie77r2jzZOq/Em4Q+H9sNcZakf9HnzCc1fJixppxP8FQABmVnqa6GbJhwaka7WH7Wdoz1WxOj\
SNV8N9sgW5S3Ppgkut+TTCkjA+AodUOk1KIR+8G8S3WrSZG4nyqfJ6FEjXl6a/LEoRMHZUqfPRWvwqrtXYy9IUsmUGzkqi76ib4NANCe5DnyOxnFRZ9d8FdB\
VBjra3iNuZhJuWW5Omi/hBigqDsg0mu2AhfJDXdwyMIJ33HHHPfS2JtjegRejX11m41TbNL+Qp7mR0g9CPKTj9PIjuSycGN/YPozXI4zarXuAeLv5CHKtKcJ\
KRbd6R2oLNiEt0T8+QIVJH7zt9ncKMgd49vV2P1AyScZ9Qzbu3m3LBnuu6dw7aE0b6r4kzVkI/GUS88mA53L/rLtntkFlZXGtIoqNP2mD3eVv08AVVPT3wJn\
81zpbJV9SuqZ6Pd1ge0Zz2RFHeCdV5CLPftH9V5o9+VzFu4R0QeumqDwUhXn3IyYotdJnxr1l3BqWnQVAeDBEOtPyJQx1q5+mODiClXtYeBLTWtsJ42AMBcf\
/IFIhpfhYO08hsg0Ik+DpQFNOKReK3o3cudkxWX0soPtI5eSFOA6yNylS+IQjrQtYQ/5s4UcixJfokumBUjpH9ofSjUTwPCapGFndfqqG5IHeMMvfg+88SXm\
7bNyjk6pGKzL+WxDAdqKtQ72WWVbOk3I+ueGuammmB2pvFZvqIcU/lvW3n9+r2lycnQLE4OX9R1jIgW4cDjJ3v8dAa66mVcfC7ptCr5io6mCaA9qI9T9FFWq\
o1ZAaMxgxAu8aXqmaOYryMND2sTUfoHvxcYK7hEiJhCLYFDx3PBhE97c2a0ub1/ePJcyJOqr7UaTAPTJ+xvZtjb/40sloY1ltRnTkWILmIP2b7S3AdXCR+Yi\
ArMUHwdncpjpyDGfzqGOUoAuaamWzAMacQtb34/M32FEgR5lUEf8fRzFrZUhzQj0fR7/6gdzdnVVvcSneLmtqJ930VCCDORY8CVdQWdo/S3PNkX3pQsPVKWI\
YGAMrFZoq8bQ/OJBDSXP7KSBdL3QN0Zqd393p6VFc7DnlnFiN00SY5Nux7yadeIM0Upl2rVsu8/VAI",FENCED=new Map([[8217,"apostrophe"],[8260,
"fraction slash"],[12539,"middle dot"]]),NSM_MAX=4;function decode_arithmetic(bytes2){let pos=0;function u16(){return bytes2[pos++]<<
8|bytes2[pos++]}__name(u16,"u16");let symbol_count=u16(),total=1,acc=[0,1];for(let i=1;i<symbol_count;i++)acc.push(total+=
u16());let skip=u16(),pos_payload=pos;pos+=skip;let read_width=0,read_buffer=0;function read_bit(){return read_width==0&&
(read_buffer=read_buffer<<8|bytes2[pos++],read_width=8),read_buffer>>--read_width&1}__name(read_bit,"read_bit");let N3=31,
FULL=2**N3,HALF=FULL>>>1,QRTR=HALF>>1,MASK=FULL-1,register=0;for(let i=0;i<N3;i++)register=register<<1|read_bit();let symbols=[],
low=0,range=FULL;for(;;){let value=Math.floor(((register-low+1)*total-1)/range),start=0,end=symbol_count;for(;end-start>
1;){let mid=start+end>>>1;value<acc[mid]?end=mid:start=mid}if(start==0)break;symbols.push(start);let a=low+Math.floor(range*
acc[start]/total),b2=low+Math.floor(range*acc[start+1]/total)-1;for(;((a^b2)&HALF)==0;)register=register<<1&MASK|read_bit(),
a=a<<1&MASK,b2=b2<<1&MASK|1;for(;a&~b2&QRTR;)register=register&HALF|register<<1&MASK>>>1|read_bit(),a=a<<1^HALF,b2=(b2^HALF)<<
1|HALF|1;low=a,range=1+b2-a}let offset=symbol_count-4;return symbols.map(x=>{switch(x-offset){case 3:return offset+65792+
(bytes2[pos_payload++]<<16|bytes2[pos_payload++]<<8|bytes2[pos_payload++]);case 2:return offset+256+(bytes2[pos_payload++]<<
8|bytes2[pos_payload++]);case 1:return offset+bytes2[pos_payload++];default:return x-1}})}__name(decode_arithmetic,"deco\
de_arithmetic");function read_payload(v){let pos=0;return()=>v[pos++]}__name(read_payload,"read_payload");function read_compressed_payload(s){
return read_payload(decode_arithmetic(unsafe_atob(s)))}__name(read_compressed_payload,"read_compressed_payload");function unsafe_atob(s){
let lookup=[];[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((c,i)=>lookup[c.charCodeAt(
0)]=i);let n2=s.length,ret=new Uint8Array(6*n2>>3);for(let i=0,pos=0,width=0,carry=0;i<n2;i++)carry=carry<<6|lookup[s.charCodeAt(
i)],width+=6,width>=8&&(ret[pos++]=carry>>(width-=8));return ret}__name(unsafe_atob,"unsafe_atob");function signed(i){return i&
1?~i>>1:i>>1}__name(signed,"signed");function read_deltas(n2,next){let v=Array(n2);for(let i=0,x=0;i<n2;i++)v[i]=x+=signed(
next());return v}__name(read_deltas,"read_deltas");function read_sorted(next,prev=0){let ret=[];for(;;){let x=next(),n2=next();
if(!n2)break;prev+=x;for(let i=0;i<n2;i++)ret.push(prev+i);prev+=n2+1}return ret}__name(read_sorted,"read_sorted");function read_sorted_arrays(next){
return read_array_while(()=>{let v=read_sorted(next);if(v.length)return v})}__name(read_sorted_arrays,"read_sorted_array\
s");function read_mapped(next){let ret=[];for(;;){let w=next();if(w==0)break;ret.push(read_linear_table(w,next))}for(;;){
let w=next()-1;if(w<0)break;ret.push(read_replacement_table(w,next))}return ret.flat()}__name(read_mapped,"read_mapped");
function read_array_while(next){let v=[];for(;;){let x=next(v.length);if(!x)break;v.push(x)}return v}__name(read_array_while,
"read_array_while");function read_transposed(n2,w,next){let m=Array(n2).fill().map(()=>[]);for(let i=0;i<w;i++)read_deltas(
n2,next).forEach((x,j)=>m[j].push(x));return m}__name(read_transposed,"read_transposed");function read_linear_table(w,next){
let dx=1+next(),dy=next(),vN=read_array_while(next);return read_transposed(vN.length,1+w,next).flatMap((v,i)=>{let[x,...ys]=v;
return Array(vN[i]).fill().map((_,j)=>{let j_dy=j*dy;return[x+j*dx,ys.map(y=>y+j_dy)]})})}__name(read_linear_table,"read\
_linear_table");function read_replacement_table(w,next){let n2=1+next();return read_transposed(n2,1+w,next).map(v=>[v[0],
v.slice(1)])}__name(read_replacement_table,"read_replacement_table");function read_trie(next){let ret=[],sorted=read_sorted(
next);return expand(decode2([]),[]),ret;function decode2(Q){let S2=next(),B=read_array_while(()=>{let cps=read_sorted(next).
map(i=>sorted[i]);if(cps.length)return decode2(cps)});return{S:S2,B,Q}}__name(decode2,"decode");function expand({S:S2,B},cps,saved){
if(!(S2&4&&saved===cps[cps.length-1])){S2&2&&(saved=cps[cps.length-1]),S2&1&&ret.push(cps);for(let br of B)for(let cp of br.
Q)expand(br,[...cps,cp],saved)}}__name(expand,"expand")}__name(read_trie,"read_trie");function hex_cp(cp){return cp.toString(
16).toUpperCase().padStart(2,"0")}__name(hex_cp,"hex_cp");function quote_cp(cp){return`{${hex_cp(cp)}}`}__name(quote_cp,
"quote_cp");function explode_cp(s){let cps=[];for(let pos=0,len=s.length;pos<len;){let cp=s.codePointAt(pos);pos+=cp<65536?
1:2,cps.push(cp)}return cps}__name(explode_cp,"explode_cp");function str_from_cps(cps){let len=cps.length;if(len<4096)return String.
fromCodePoint(...cps);let buf=[];for(let i=0;i<len;)buf.push(String.fromCodePoint(...cps.slice(i,i+=4096)));return buf.join(
"")}__name(str_from_cps,"str_from_cps");function compare_arrays(a,b2){let n2=a.length,c=n2-b2.length;for(let i=0;c==0&&i<
n2;i++)c=a[i]-b2[i];return c}__name(compare_arrays,"compare_arrays");var COMPRESSED="AEUDWAHSCGYATwDVADIAdgAiADQAFAAtABQAIQAPACcADQASAAsAGQAJABIACQARAAUACwAFAAwABQAQAAMABwAEAAoABQAJAAIACgAB\
AAQAFAALAAIACwABAAIAAQAHAAMAAwAEAAsADAAMAAwACwANAA0AAwAKAAkABAAdAAYAZwDTAecDNACxCmIB8xhZAqfoC190UGcThgBurwf7PT09Pb09AjgJ\
um8OjDllxHYUKXAPxzq6tABAxgK8ysUvWAgMPT09PT09PSs6LT2HcgWXWwFLoSMEEEl5RFVMKvO0XQ8ExDdJMnIgPi89uj00MsvBXxEPAGPCDwBnQKoEbwRw\
BHEEcgRzBHQEdQR2BHcEeAR6BHsEfAR+BIAEgfndBQoBYgULAWIFDAFiBNcE2ATZBRAFEQUvBdALFAsVDPcNBw13DYcOMA4xDjMB4BllHI0B2grbAMDpHLkQ\
7QHVAPRNQQFnGRUEg0yEB2uaJEMAJpIBpob5AERSMAKNoAXqaQLRBMCzEiC+AZ4EWRJJFbEu7QDQLARtEbgECxDwAb/RyAk1AV4nD2cEQQKTAzsAGpobPgAa\
hAGPCrysdy0OAKwAfFIcBAQFUmoA/PtZADkBIadVj2UMUgx5Il4ANQC9vLIBDAHUGVsQ8wCzfQIbGVcCHBZHAZ8CBAgXOhG7AqMZ4M7+1M0UAPDNAWsC+mcJ\
De8AAQA99zkEXLICyQozAo6lAobcP5JvjQLFzwKD9gU/OD8FEQCtEQL6bW+nAKUEvzjDHsuRyUvOFHcacUz5AqIFRSE2kzsBEQCuaQL5DQTlcgO6twSpTiUg\
CwIFCAUXBHQEqQV6swAVxUlmTmsCwjqsP/wKJQmXb793UgZBEBsnpRD3DDMBtQE7De1L2ATxBjsEyR99GRkPzZWcCKUt3QztJuMuoYBaI/UqgwXtS/Q83QtN\
UWgPWQtlCeM6Y4FOAyEBDSKLCt0NOQhtEPMKyWsN5RFFBzkD1UmaAKUHAQsRHTUVtSYQYqwLCTl3Bvsa9guPJq8TKXr8BdMaIQZNASka/wDPLueFsFoxXBxP\
XwYDCyUjxxSoUCANJUC3eEgaGwcVJakCkUNwSodRNh6TIfY8PQ1mLhNRfAf1PAUZTwuBPJ5Gq0UOEdI+jT1IIklMLAQ1fywvJ4sJzw+FDLl8cgFZCSEJsQxx\
EzERFzfFCDkHGS2XJCcVCCFGlWCaBPefA/MT0QMLBT8JQQcTA7UcLRMuFSkFDYEk1wLzNtUuswKPVoABFwXLDyUf3xBQR+AO6QibAmUDgyXrAC0VIQAXIpsI\
Q2MAX4/YUwUuywjHamwjdANnFOdhEXMHkQ5XB6ccMxW/HOFwyF4Lhggoo68JWwF1CZkBXwTjCAk1W4ygIEFnU4tYGJsgYUE/XfwCMQxlFZ9EvYd4AosPaxIb\
ATUBcwc5DQECdxHtEWsQlQjrhgQ1tTP4OiUETyGDIBEKJwNPbM4LJyb5DPhpAaMSYgMMND137merYLYkF/0HGTLFQWAh8QuST80MnBrBGEJULhnkB78D8xrz\
J+pBVwX/A6MDEzpNM+4EvQtpCIsJPwBJDqMXB9cYagpxjNABMYsBt5kDV5GDAm+PBjcHCwBnC4cFeeUAHQKnCKMABQDPA1cAOQKtB50AGQCFQQE9AycvASHl\
Ao8DkwgxywGVLwHzKQQbwwwVAPc3bkoCw7ECgGpmogXdWAKOAkk1AU0lBAVOR1EDr3HhANsASwYT30cBFatKyxrjQwHfbysAxwD7AAU1BwVBAc0B820AtwFf\
CzEJorO1AU3pKQCDABVrAdcCiQDdADUAf/EBUwBNBVn5BdMCT0kBETEYK1dhAbsDHwEzAQ0AeQbLjaXJBx8EbQfTAhAbFeEC7y4HtQEDIt8TzULFAr3eVaFg\
AmSBAmJCW02vWzcgAqH3AmiYAmYJAp+EOBsLAmY7AmYmBG4EfwN/EwN+kjkGOXcXOYI6IyMCbB0CMjY4CgJtxwJtru+KM2dFKwFnAN4A4QBKBQeYDI0A/gvC\
AA21AncvAnaiPwJ5S0MCeLodXNtFrkbXAnw/AnrIAn0JAnzwBVkFIEgASH1jJAKBbQKAAAKABQJ/rklYSlsVF0rMAtEBAtDMSycDiE8Dh+ZExZEyAvKhXQMD\
A65LzkwtJQPPTUxNrwKLPwKK2MEbBx1DZwW3Ao43Ao5cQJeBAo7ZAo5ceFG0UzUKUtRUhQKT+wKTDADpABxVHlWvVdAGLBsplYYy4XhmRTs5ApefAu+yWCGo\
AFklApaPApZ8nACpWaxaCYFNADsClrUClk5cRFzRApnLAplkXMpdBxkCnJs5wjqdApwWAp+bAp64igAdDzEqDwKd8QKekgC1PWE0Ye8CntMCoG4BqQKenx8C\
nk6lY8hkJyUrAievAiZ+AqD7AqBMAqLdAqHEAqYvAqXOAqf/AH0Cp/JofGixAANJahxq0QKs4wKsrgKtZwKtAgJXHQJV3AKx4dcDH05slwKyvQ0CsugXbOBt\
Y21IXwMlzQK2XDs/bpADKUUCuF4CuUcVArkqd3A2cOECvRkCu9pwlgMyEQK+iHICAzNxAr4acyJzTwLDywLDBHOCdEs1RXTgAzynAzyaAz2/AsV8AsZHAsYQ\
iQLIaVECyEQCyU8CyS4CZJ0C3dJ4eWF4rnklS9ADGKNnAgJh9BnzlSR7C16SXrsRAs9rAs9sL0tT0vMTnwDGrQLPcwEp6gNOEn5LBQLcJwLbigLSTwNSXANT\
XwEBA1WMgIk/AMsW7WBFghyC04LOg40C2scC2d6EEIRJpzwDhqUALwNkDoZxWfkAVQLfZQLeuHN3AuIv7RQB8zAnAfSbAfLShwLr8wLpcHkC6vkC6uQA+UcB\
uQLuiQLrnJaqlwMC7j8DheCYeXDgcaEC8wMAaQOOFpmTAvcTA5FuA5KHAveYAvnZAvhmmhyaq7s3mx4DnYMC/voBGwA5nxyfswMFjQOmagOm2QDRxQMGaqGI\
ogUJAwxJAtQAPwMA4UEXUwER8wNrB5dnBQCTLSu3r73bAYmZFH8RBDkB+ykFIQ6dCZ8Akv0TtRQrxQL3LScApQC3BbmOkRc/xqdtQS4UJo0uAUMBgPwBtSYA\
dQMOBG0ALAIWDKEAAAoCPQJqA90DfgSRASBFBSF8CgAFAEQAEwA2EgJ3AQAF1QNr7wrFAgD3Cp8nv7G35QGRIUFCAekUfxE0wIkABAAbAFoCRQKEiwAGOlM6\
lI1tALg6jzrQAI04wTrcAKUA6ADLATqBOjs5/Dn5O3aJOls7nok6bzkYAVYBMwFsBS81XTWeNa01ZjV1NbY1xTWCNZE10jXhNZ41rTXuNf01sjXBNgI2ETXG\
NdU2FjYnNd417TYuNj02LjUtITY6Nj02PDbJNwgEkDxXNjg23TcgNw82yiA3iTcwCgSwPGc2JDcZN2w6jTchQtRDB0LgQwscDw8JmyhtKFFVBgDpfwDpsAD+\
mxQ91wLpNSMArQC9BbeOkRdLxptzBL8MDAMMAQgDAAkKCwsLCQoGBAVVBI/DvwDz9b29kaUCb0QtsRTNLt4eGBcSHAMZFhYZEhYEARAEBUEcQRxBHEEcQRxB\
HEEaQRxBHEFCSTxBPElISUhBNkM2QTYbNklISVmBVIgELgEaJZkC7aMAoQCjBcGOmxdNxrsBvwGJAaQcEZ0ePCklMAAhMvAIMAL54gC7Bm8EescjzQMpARQp\
KgDUHqSvAj5Gqwr7YrMUACT9AN3rpF27H7fsd/twPt4l+UW1yQYKBt2Cgy7qJpGiLcdE2P1cQSImUbqJ6ICH27H4knQMIRMrFkHu3sx6tC35Y+eLIh4e4CMK\
J4DfyV+8mfta499RCAJ0xfeZR8PsoYOApva9pjGn4PhvyZS7/h5JLuhaucfjuU+Z584wwqNO4hWYmaBCcjgQPale1bjoHzMUbut/zTgxHxBnAyrdKpF4IRMA\
SLBtD/jviyLeCgj8twWjAd3HchN/uqaeRYeHJgl7JEY9/cTrvtfybx/r3Y/NtxJ9dp+MTVmiS9bwBH73s8Di56/Ma+mTPMHq4T1yEG1fWcqr0u+hrGnJEvU1\
JJAm/maQSrKrazIyvSkDFkj8UUlfBq8baniTGPng6YZRL661rDNw4w/1g2figG0IhXnL7wosd/sVNo5dYSmMBTP5c7rYLjRdCwg8quwljOMPf63D8ICAL0r7\
1XRiyFHdgwHbwfgnPOf4Lzjf2v+j+IiDHG2isp5yUnzSDyDRb4i/Vs0qHSHq8PiEQ/JnBP7PxnjN0j6gT4AVAeRx/1o9VnEUlUwvFrzJqHk9jxAw4sYxCnrx\
aeBdCFFKbnE7z+x54F5W7ZZsU6kx8Qocul6FoAHHy01FGL/nne61mn4+uYXfQ1Uccn+HMLKE+cZzT8BB1E3FRskOgJrRsq25rauLm8+uamXpkS/bTy6y1wDb\
CrW4eD532kTWrtNUmVVZOIn/C+/JR9KVR5iG9TY8iaT67ubm/whL1xbKZoqtY+a6fNxMJrg211bGYJDUkYMNWA0BMB++9zOm6Eik4roqs9CCEFW0lyAK0Pbv\
lzvoxrZuY/OEhNW/l/63U15Od/RSvmDvXpGLiVmeGi5PDSH2bYz5o2g6wFDQ2FbZgYgTF8rPlvA1ifjZD3NLtFdXdpSIJvgKR7GpjJWG7GZGawPomIH8B5tU\
mtHH9LpM+/KQKunEPa1GiQkCXv4Cnm9DLORo2joicHdPDZ64obQrPZ5bgqckkj0G6/NEiPYBY4bCkL7W8G5YzsUb6GakFjykSPkT7JGeLeB6uJOGMm+x7N38\
1BCDfbJFx0dtLgV9Q477BfL1fvitX5anV/oYfxeYl+eF5x5bB8+Ep/L2nsmd56aKF4aAD4GbJWsdKyBW22xEmAD3XdbtsMyAFoR5mOla0gEd9U/YVB7zvHGp\
HbQonay9Sv0bQ8iZ8piaXVrKc5AG1AmqqgaEvzHSP2Wux7aZTWh6quVDVU01JtMIVRdCFwlSbbqqhoFlyzsotQzRexFvZ/MqUSFu3OhRIuNBbufvBpdVgb8X\
dGJ48/lJPCZ7dsOujTTbKPSEvGXkOnG2Xdi8/nM3EMRqITd5QeU7iOjKqC7URJY6TnLsHij22xAHKnVRD5MDtBYnoGFqZGMDmXCW6Oj+BAWw14hESY/xLF6b\
Lku06AHkiXTHPCFZ0f9YSqqo27eAhhS67OrA2Het4M9JM3jm/yRX6bYxnfmzYl5qQdHxN08FsNuWDrWd4vMUY2QD3hr8vS73SCTkFoXZR3xNzOQt8d/6HfjB\
mXqvrE6EGkLzK6YK2U2/ksU/iUH+LvVIsJI+ri2AL/klo+ShdDyfs5A83i2prkMs51IKR7ZcqjZJi5X3+bd8GlyWvtddxKEoEqSgEO7A8jIgf2nH0h8FjM7o\
B6yte3X5mpL0i/E4Rx0CotKnILJj/vJqo4VkPQ93jRtRVfaitQPqldl5xRYPq8387Z0DcnZvOeION0Ht1+P27kFLGQIcLBX4FG3sffccNHh5cPfzp9INoRtq\
VtdViJfg8RjnXiIz/MNqEN6zvzX3hMzyWC7oSoXIT14ubc0abPX8Rp9GVa5NI/8iv+6ela1oTncbdimRKnrbRffDR/X4nH+bgqAuHWl7hOaeXPWVzIeRl7ga\
+JzD4Sx3mlj/q6Ra/E2HhDf21eEzTLNGfCZsY+/yxZzQzIAuijG65ii4O/waAJCrEJaWd/DRAKMQ5678Dw5AT7RCKzdadIwd8LsD+DgPBASmWsUlf8R0k1w/\
2k4lO2Wpb4zMI6EJVJs0xk/wn8/fRUPqrDKhbjHR41SqgFMx5RGMPuduFwlu5lK89tW11sTqiX/5EfGs5nO+y9FKvgXKPOEmgE05EKNL6Sjb3xS40H3BVPhm\
0ESOZgAjZoymc8be0inDVo4JdJVf+NKd3tN/CaB7GShhH27qf95NoFZVX/6ZkR2lX+CgWrQ2INgkh+bbMz68+uJ3Clsh8HSMPEQtAt+BBE6fXDab7KIlsKxU\
1lIXW/KWVstpdPanJ0pdXpQinDyUQjtY7ZVcfiecRxRDMAUhHFU2cEaciQ+htiPMPx1kdvtWG9T44w3r037ljHBFJdYR0r55qvMRixtAEFJAqA4T1ES87FAx\
7UozXasytg8MftZYt0rjYgLe6EJ5aWvy2qscBSBQ7yehoJIA3wIIZ9ukfkyBb6qnue5ko8W50rpV4kXqWjI5nbGRXrNW0tBZHXlY48nSgcUXBHWT4GcgLZJo\
LlKJnV96kCYpq9eWHh7xJzkCAyrQuQ5AJ0qq/uZ3toJglNterev+Qm0KXxPg/+YbFRJdfhbp1wOnVOEYdVHTya6CtO0afhEaBhx3oHwCb5Kq6RwHDzFMl2vf\
jL8GwzcCoTj7wZe+UFnYDV2yKpPU9dba29gYBdNqJg/KXozO+CJTlKmlKhnqTf5doeS35DZFV+cYJQVjd+oVY/Gtc/6XPzUxb1gMqf6cEjNNoRC8AObrp+fx\
0cVtGu4ffC2TgXRC8zPl8moUHCB5HZ25d87mlsiiK0aNwBtcEQjRNBT/QrXbw/8aVXdKMHn9EqYEKEyxSGTpYQOaes1G1Qq8pDgqkZtlO2HRyCXpmeM7TSrR\
PkAh004BfisVpF6zP44n2Jvxz/gOVocNCyy9V6lkod28QM4pbaMvVJigD/w3BrsjSJrXlqc4ulBYOCceiBN4b/gHajYyupbhEt63a619Ay4wsL6a6w6B+A7T\
noyE7BliWHJfzVxxIKM/W3M/J8Bx99Op863Q8eNuIMGRx++VbYfjm+VGYBA3Ap/KEu/wxBNBpJJncwHPG45V8Gh98ZIrGCc20MwijGowZbcS7d1nEgcOW5cd\
dZpHL2XPAIRbColiheZzXTvBxZOY3iMSDSKDrICyJ/iQs1vdplVdH/JrLJsQ2jtTnfCrITIghq3KFX3qAgLWAIp8IffNSdTYptnbGfc8s+qcr3zyzyHp1aJg\
+jxTF4kD1ry5Wauv5V3xnOGwTFecNzXSLHBW20/pCQjk4uorD0plIhMSTc79+/r4RKPClRYTBYex1Ob5crtfvRQBBv6re/6FhtCqtduag67glqRA77/3ulbl\
h9YRtMdDxkCyJDeNnAuCLPQFmdRRWJtH20Z8DstfJf+5oj5SSB64d0iF5/Ya4KfTWxfivj9Ap2/zbYaTo/1gO3tM6RYsCZharMBFr7Fm61mLSrQnEI4OF1gb\
VS4k/JE9UotOrnLJZuswoWodCSV8zbybkJSVIP7n8UaE9xCR39rJZmf27HOAPVOGc9pdkQUcRrI0qyVF9Z3j1RHDbxIfwbWzmPVjwIdPJvtmBYwEQIUsIW1S\
939hcVikK00ozPRI02cqhzVUNzpOxVdrwRPvlh1aIOf0xFEqD3YkGnCnFah/cFN3J2gB7N+bZSGawwkKFu1tpQMrp1W+27YNkyT0TpcFpTqgOqqLabrgcCUP\
xh97mREOGy4xItzQ9xSl6rq+8BZsHcrQFReS+QeMxJ3P6CnL9EP/eOLDjumLhvrcQrpPiknsofbzBv9gTP0lU+TIVwE6E7CcKfT36q+ZiEOHJ9ayf0dyUJLe\
zAb2M8aNHwd0+OJmsVgTzRWA",S0=44032,L0=4352,V0=4449,T0=4519,L_COUNT=19,V_COUNT=21,T_COUNT=28,N_COUNT=V_COUNT*T_COUNT,S_COUNT=L_COUNT*
N_COUNT,S1=S0+S_COUNT,L1=L0+L_COUNT,V1=V0+V_COUNT,T1=T0+T_COUNT;function unpack_cc(packed){return packed>>24&255}__name(
unpack_cc,"unpack_cc");function unpack_cp(packed){return packed&16777215}__name(unpack_cp,"unpack_cp");var SHIFTED_RANK,
EXCLUSIONS,DECOMP,RECOMP;function init$1(){let r=read_compressed_payload(COMPRESSED);SHIFTED_RANK=new Map(read_sorted_arrays(
r).flatMap((v,i)=>v.map(x=>[x,i+1<<24]))),EXCLUSIONS=new Set(read_sorted(r)),DECOMP=new Map,RECOMP=new Map;for(let[cp,cps]of read_mapped(
r)){if(!EXCLUSIONS.has(cp)&&cps.length==2){let[a,b2]=cps,bucket=RECOMP.get(a);bucket||(bucket=new Map,RECOMP.set(a,bucket)),
bucket.set(b2,cp)}DECOMP.set(cp,cps.reverse())}}__name(init$1,"init$1");function is_hangul(cp){return cp>=S0&&cp<S1}__name(
is_hangul,"is_hangul");function compose_pair(a,b2){if(a>=L0&&a<L1&&b2>=V0&&b2<V1)return S0+(a-L0)*N_COUNT+(b2-V0)*T_COUNT;
if(is_hangul(a)&&b2>T0&&b2<T1&&(a-S0)%T_COUNT==0)return a+(b2-T0);{let recomp=RECOMP.get(a);return recomp&&(recomp=recomp.
get(b2),recomp)?recomp:-1}}__name(compose_pair,"compose_pair");function decomposed(cps){SHIFTED_RANK||init$1();let ret=[],
buf=[],check_order=!1;function add(cp){let cc=SHIFTED_RANK.get(cp);cc&&(check_order=!0,cp|=cc),ret.push(cp)}__name(add,"\
add");for(let cp of cps)for(;;){if(cp<128)ret.push(cp);else if(is_hangul(cp)){let s_index=cp-S0,l_index=s_index/N_COUNT|
0,v_index=s_index%N_COUNT/T_COUNT|0,t_index=s_index%T_COUNT;add(L0+l_index),add(V0+v_index),t_index>0&&add(T0+t_index)}else{
let mapped=DECOMP.get(cp);mapped?buf.push(...mapped):add(cp)}if(!buf.length)break;cp=buf.pop()}if(check_order&&ret.length>
1){let prev_cc=unpack_cc(ret[0]);for(let i=1;i<ret.length;i++){let cc=unpack_cc(ret[i]);if(cc==0||prev_cc<=cc){prev_cc=cc;
continue}let j=i-1;for(;;){let tmp=ret[j+1];if(ret[j+1]=ret[j],ret[j]=tmp,!j||(prev_cc=unpack_cc(ret[--j]),prev_cc<=cc))
break}prev_cc=unpack_cc(ret[i])}}return ret}__name(decomposed,"decomposed");function composed_from_decomposed(v){let ret=[],
stack=[],prev_cp=-1,prev_cc=0;for(let packed of v){let cc=unpack_cc(packed),cp=unpack_cp(packed);if(prev_cp==-1)cc==0?prev_cp=
cp:ret.push(cp);else if(prev_cc>0&&prev_cc>=cc)cc==0?(ret.push(prev_cp,...stack),stack.length=0,prev_cp=cp):stack.push(cp),
prev_cc=cc;else{let composed=compose_pair(prev_cp,cp);composed>=0?prev_cp=composed:prev_cc==0&&cc==0?(ret.push(prev_cp),
prev_cp=cp):(stack.push(cp),prev_cc=cc)}}return prev_cp>=0&&ret.push(prev_cp,...stack),ret}__name(composed_from_decomposed,
"composed_from_decomposed");function nfd(cps){return decomposed(cps).map(unpack_cp)}__name(nfd,"nfd");function nfc(cps){
return composed_from_decomposed(decomposed(cps))}__name(nfc,"nfc");var HYPHEN=45;var STOP_CH=".",FE0F=65039,UNIQUE_PH=1,Array_from=__name(x=>Array.from(x),"Array_from");function group_has_cp(g,cp){return g.
P.has(cp)||g.Q.has(cp)}__name(group_has_cp,"group_has_cp");var Emoji=class extends Array{static{__name(this,"Emoji")}get is_emoji(){
return!0}},MAPPED,IGNORED,CM,NSM,ESCAPE,NFC_CHECK,GROUPS,WHOLE_VALID,WHOLE_MAP,VALID,EMOJI_LIST,EMOJI_ROOT;function init(){
if(MAPPED)return;let r=read_compressed_payload(COMPRESSED$1),read_sorted_array=__name(()=>read_sorted(r),"read_sorted_ar\
ray"),read_sorted_set=__name(()=>new Set(read_sorted_array()),"read_sorted_set"),set_add_many=__name((set,v)=>v.forEach(
x=>set.add(x)),"set_add_many");MAPPED=new Map(read_mapped(r)),IGNORED=read_sorted_set(),CM=read_sorted_array(),NSM=new Set(
read_sorted_array().map(i=>CM[i])),CM=new Set(CM),ESCAPE=read_sorted_set(),NFC_CHECK=read_sorted_set();let chunks=read_sorted_arrays(
r),unrestricted=r(),read_chunked=__name(()=>{let set=new Set;return read_sorted_array().forEach(i=>set_add_many(set,chunks[i])),
set_add_many(set,read_sorted_array()),set},"read_chunked");GROUPS=read_array_while(i=>{let N3=read_array_while(r).map(x=>x+
96);if(N3.length){let R=i>=unrestricted;N3[0]-=32,N3=str_from_cps(N3),R&&(N3=`Restricted[${N3}]`);let P=read_chunked(),Q=read_chunked(),
M=!r();return{N:N3,P,Q,M,R}}}),WHOLE_VALID=read_sorted_set(),WHOLE_MAP=new Map;let wholes=read_sorted_array().concat(Array_from(
WHOLE_VALID)).sort((a,b2)=>a-b2);wholes.forEach((cp,i)=>{let d=r(),w=wholes[i]=d?wholes[i-d]:{V:[],M:new Map};w.V.push(cp),
WHOLE_VALID.has(cp)||WHOLE_MAP.set(cp,w)});for(let{V,M}of new Set(WHOLE_MAP.values())){let recs=[];for(let cp of V){let gs=GROUPS.
filter(g=>group_has_cp(g,cp)),rec=recs.find(({G})=>gs.some(g=>G.has(g)));rec||(rec={G:new Set,V:[]},recs.push(rec)),rec.
V.push(cp),set_add_many(rec.G,gs)}let union=recs.flatMap(x=>Array_from(x.G));for(let{G,V:V2}of recs){let complement=new Set(
union.filter(g=>!G.has(g)));for(let cp of V2)M.set(cp,complement)}}VALID=new Set;let multi=new Set,add_to_union=__name(cp=>VALID.
has(cp)?multi.add(cp):VALID.add(cp),"add_to_union");for(let g of GROUPS){for(let cp of g.P)add_to_union(cp);for(let cp of g.
Q)add_to_union(cp)}for(let cp of VALID)!WHOLE_MAP.has(cp)&&!multi.has(cp)&&WHOLE_MAP.set(cp,UNIQUE_PH);set_add_many(VALID,
nfd(VALID)),EMOJI_LIST=read_trie(r).map(v=>Emoji.from(v)).sort(compare_arrays),EMOJI_ROOT=new Map;for(let cps of EMOJI_LIST){
let prev=[EMOJI_ROOT];for(let cp of cps){let next=prev.map(node=>{let child=node.get(cp);return child||(child=new Map,node.
set(cp,child)),child});cp===FE0F?prev.push(...next):prev=next}for(let x of prev)x.V=cps}}__name(init,"init");function quoted_cp(cp){
return(should_escape(cp)?"":`${bidi_qq(safe_str_from_cps([cp]))} `)+quote_cp(cp)}__name(quoted_cp,"quoted_cp");function bidi_qq(s){
return`"${s}"\u200E`}__name(bidi_qq,"bidi_qq");function check_label_extension(cps){if(cps.length>=4&&cps[2]==HYPHEN&&cps[3]==
HYPHEN)throw new Error(`invalid label extension: "${str_from_cps(cps.slice(0,4))}"`)}__name(check_label_extension,"check\
_label_extension");function check_leading_underscore(cps){for(let i=cps.lastIndexOf(95);i>0;)if(cps[--i]!==95)throw new Error(
"underscore allowed only at start")}__name(check_leading_underscore,"check_leading_underscore");function check_fenced(cps){
let cp=cps[0],prev=FENCED.get(cp);if(prev)throw error_placement(`leading ${prev}`);let n2=cps.length,last=-1;for(let i=1;i<
n2;i++){cp=cps[i];let match=FENCED.get(cp);if(match){if(last==i)throw error_placement(`${prev} + ${match}`);last=i+1,prev=
match}}if(last==n2)throw error_placement(`trailing ${prev}`)}__name(check_fenced,"check_fenced");function safe_str_from_cps(cps,max=1/0,quoter=quote_cp){
let buf=[];is_combining_mark(cps[0])&&buf.push("\u25CC"),cps.length>max&&(max>>=1,cps=[...cps.slice(0,max),8230,...cps.slice(
-max)]);let prev=0,n2=cps.length;for(let i=0;i<n2;i++){let cp=cps[i];should_escape(cp)&&(buf.push(str_from_cps(cps.slice(
prev,i))),buf.push(quoter(cp)),prev=i+1)}return buf.push(str_from_cps(cps.slice(prev,n2))),buf.join("")}__name(safe_str_from_cps,
"safe_str_from_cps");function is_combining_mark(cp,only_nsm){return init(),only_nsm?NSM.has(cp):CM.has(cp)}__name(is_combining_mark,
"is_combining_mark");function should_escape(cp){return init(),ESCAPE.has(cp)}__name(should_escape,"should_escape");function ens_normalize(name){return flatten(split(name,nfc,filter_fe0f))}__name(ens_normalize,"ens_normalize");function split(name,nf,ef){if(!name)return[];init();let offset=0;return name.split(STOP_CH).map(label=>{let input=explode_cp(
label),info={input,offset};offset+=input.length+1;try{let tokens=info.tokens=tokens_from_str(input,nf,ef),token_count=tokens.
length,type;if(!token_count)throw new Error("empty label");let norm=info.output=tokens.flat();if(check_leading_underscore(
norm),!(info.emoji=token_count>1||tokens[0].is_emoji)&&norm.every(cp=>cp<128))check_label_extension(norm),type="ASCII";else{
let chars=tokens.flatMap(x=>x.is_emoji?[]:x);if(!chars.length)type="Emoji";else{if(CM.has(norm[0]))throw error_placement(
"leading combining mark");for(let i=1;i<token_count;i++){let cps=tokens[i];if(!cps.is_emoji&&CM.has(cps[0]))throw error_placement(
`emoji + combining mark: "${str_from_cps(tokens[i-1])} + ${safe_str_from_cps([cps[0]])}"`)}check_fenced(norm);let unique=Array_from(
new Set(chars)),[g]=determine_group(unique);check_group(g,chars),check_whole(g,unique),type=g.N}}info.type=type}catch(err){
info.error=err}return info})}__name(split,"split");function check_whole(group,unique){let maker,shared=[];for(let cp of unique){
let whole=WHOLE_MAP.get(cp);if(whole===UNIQUE_PH)return;if(whole){let set=whole.M.get(cp);if(maker=maker?maker.filter(g=>set.
has(g)):Array_from(set),!maker.length)return}else shared.push(cp)}if(maker){for(let g of maker)if(shared.every(cp=>group_has_cp(
g,cp)))throw new Error(`whole-script confusable: ${group.N}/${g.N}`)}}__name(check_whole,"check_whole");function determine_group(unique){
let groups=GROUPS;for(let cp of unique){let gs=groups.filter(g=>group_has_cp(g,cp));if(!gs.length)throw GROUPS.some(g=>group_has_cp(
g,cp))?error_group_member(groups[0],cp):error_disallowed(cp);if(groups=gs,gs.length==1)break}return groups}__name(determine_group,
"determine_group");function flatten(split2){return split2.map(({input,error,output:output2})=>{if(error){let msg=error.message;
throw new Error(split2.length==1?msg:`Invalid label ${bidi_qq(safe_str_from_cps(input,63))}: ${msg}`)}return str_from_cps(
output2)}).join(STOP_CH)}__name(flatten,"flatten");function error_disallowed(cp){return new Error(`disallowed character:\
 ${quoted_cp(cp)}`)}__name(error_disallowed,"error_disallowed");function error_group_member(g,cp){let quoted=quoted_cp(cp),
gg=GROUPS.find(g2=>g2.P.has(cp));return gg&&(quoted=`${gg.N} ${quoted}`),new Error(`illegal mixture: ${g.N} + ${quoted}`)}
__name(error_group_member,"error_group_member");function error_placement(where){return new Error(`illegal placement: ${where}`)}
__name(error_placement,"error_placement");function check_group(g,cps){for(let cp of cps)if(!group_has_cp(g,cp))throw error_group_member(
g,cp);if(g.M){let decomposed2=nfd(cps);for(let i=1,e=decomposed2.length;i<e;i++)if(NSM.has(decomposed2[i])){let j=i+1;for(let cp;j<
e&&NSM.has(cp=decomposed2[j]);j++)for(let k=i;k<j;k++)if(decomposed2[k]==cp)throw new Error(`duplicate non-spacing marks\
: ${quoted_cp(cp)}`);if(j-i>NSM_MAX)throw new Error(`excessive non-spacing marks: ${bidi_qq(safe_str_from_cps(decomposed2.
slice(i-1,j)))} (${j-i}/${NSM_MAX})`);i=j}}}__name(check_group,"check_group");function tokens_from_str(input,nf,ef){let ret=[],
chars=[];for(input=input.slice().reverse();input.length;){let emoji=consume_emoji_reversed(input);if(emoji)chars.length&&
(ret.push(nf(chars)),chars=[]),ret.push(ef(emoji));else{let cp=input.pop();if(VALID.has(cp))chars.push(cp);else{let cps=MAPPED.
get(cp);if(cps)chars.push(...cps);else if(!IGNORED.has(cp))throw error_disallowed(cp)}}}return chars.length&&ret.push(nf(
chars)),ret}__name(tokens_from_str,"tokens_from_str");function filter_fe0f(cps){return cps.filter(cp=>cp!=FE0F)}__name(filter_fe0f,
"filter_fe0f");function consume_emoji_reversed(cps,eaten){let node=EMOJI_ROOT,emoji,pos=cps.length;for(;pos&&(node=node.
get(cps[--pos]),!!node);){let{V}=node;V&&(emoji=V,eaten&&eaten.push(...cps.slice(pos).reverse()),cps.length=pos)}return emoji}
__name(consume_emoji_reversed,"consume_emoji_reversed");var Zeros2=new Uint8Array(32);Zeros2.fill(0);function checkComponent(comp){return assertArgument(comp.length!==0,"invali\
d ENS name; empty component","comp",comp),comp}__name(checkComponent,"checkComponent");function ensNameSplit(name){let bytes2=toUtf8Bytes(
ensNormalize(name)),comps=[];if(name.length===0)return comps;let last=0;for(let i=0;i<bytes2.length;i++)bytes2[i]===46&&
(comps.push(checkComponent(bytes2.slice(last,i))),last=i+1);return assertArgument(last<bytes2.length,"invalid ENS name; \
empty component","name",name),comps.push(checkComponent(bytes2.slice(last))),comps}__name(ensNameSplit,"ensNameSplit");function ensNormalize(name){
try{if(name.length===0)throw new Error("empty label");return ens_normalize(name)}catch(error){assertArgument(!1,`invalid\
 ENS name (${error.message})`,"name",name)}}__name(ensNormalize,"ensNormalize");function isValidName(name){try{return ensNameSplit(
name).length!==0}catch{}return!1}__name(isValidName,"isValidName");function namehash(name){assertArgument(typeof name=="\
string","invalid ENS name; not a string","name",name),assertArgument(name.length,"invalid ENS name (empty label)","name",
name);let result=Zeros2,comps=ensNameSplit(name);for(;comps.length;)result=keccak2562(concat([result,keccak2562(comps.pop())]));
return hexlify(result)}__name(namehash,"namehash");function dnsEncode(name,_maxLength){let length=_maxLength??63;return assertArgument(
length<=255,"DNS encoded label cannot exceed 255","length",length),hexlify(concat(ensNameSplit(name).map(comp=>{assertArgument(
comp.length<=length,`label ${JSON.stringify(name)} exceeds ${length} bytes`,"name",name);let bytes2=new Uint8Array(comp.
length+1);return bytes2.set(comp,1),bytes2[0]=bytes2.length-1,bytes2})))+"00"}__name(dnsEncode,"dnsEncode");function hashMessage(message){return typeof message=="string"&&(message=toUtf8Bytes(message)),keccak2562(concat([toUtf8Bytes(
MessagePrefix),toUtf8Bytes(String(message.length)),message]))}__name(hashMessage,"hashMessage");function verifyMessage(message,sig){
let digest2=hashMessage(message);return recoverAddress(digest2,sig)}__name(verifyMessage,"verifyMessage");var regexBytes=new RegExp("^bytes([0-9]+)$"),regexNumber=new RegExp("^(u?int)([0-9]*)$"),regexArray=new RegExp("^(.*)\\[(\
[0-9]*)\\]$");function _pack(type,value,isArray){switch(type){case"address":return isArray?getBytes(zeroPadValue(value,32)):
getBytes(getAddress(value));case"string":return toUtf8Bytes(value);case"bytes":return getBytes(value);case"bool":return value=
value?"0x01":"0x00",isArray?getBytes(zeroPadValue(value,32)):getBytes(value)}let match=type.match(regexNumber);if(match){
let signed2=match[1]==="int",size=parseInt(match[2]||"256");return assertArgument((!match[2]||match[2]===String(size))&&
size%8===0&&size!==0&&size<=256,"invalid number type","type",type),isArray&&(size=256),signed2&&(value=toTwos(value,size)),
getBytes(zeroPadValue(toBeArray(value),size/8))}if(match=type.match(regexBytes),match){let size=parseInt(match[1]);return assertArgument(
String(size)===match[1]&&size!==0&&size<=32,"invalid bytes type","type",type),assertArgument(dataLength(value)===size,`i\
nvalid value for ${type}`,"value",value),isArray?getBytes(zeroPadBytes(value,32)):value}if(match=type.match(regexArray),
match&&Array.isArray(value)){let baseType=match[1],count2=parseInt(match[2]||String(value.length));assertArgument(count2===
value.length,`invalid array length for ${type}`,"value",value);let result=[];return value.forEach(function(value2){result.
push(_pack(baseType,value2,!0))}),getBytes(concat(result))}assertArgument(!1,"invalid type","type",type)}__name(_pack,"_\
pack");function solidityPacked(types,values){assertArgument(types.length===values.length,"wrong number of values; expect\
ed ${ types.length }","values",values);let tight=[];return types.forEach(function(type,index){tight.push(_pack(type,values[index]))}),
hexlify(concat(tight))}__name(solidityPacked,"solidityPacked");function solidityPackedKeccak256(types,values){return keccak2562(
solidityPacked(types,values))}__name(solidityPackedKeccak256,"solidityPackedKeccak256");function solidityPackedSha256(types,values){
return sha2563(solidityPacked(types,values))}__name(solidityPackedSha256,"solidityPackedSha256");var padding=new Uint8Array(32);padding.fill(0);var BN__1=BigInt(-1),BN_08=BigInt(0),BN_15=BigInt(1),BN_MAX_UINT2562=BigInt(
"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff");function hexPadRight(value){let bytes2=getBytes(value),
padOffset=bytes2.length%32;return padOffset?concat([bytes2,padding.slice(padOffset)]):hexlify(bytes2)}__name(hexPadRight,
"hexPadRight");var hexTrue=toBeHex(BN_15,32),hexFalse=toBeHex(BN_08,32),domainFieldTypes={name:"string",version:"string",
chainId:"uint256",verifyingContract:"address",salt:"bytes32"},domainFieldNames=["name","version","chainId","verifyingCon\
tract","salt"];function checkString(key){return function(value){return assertArgument(typeof value=="string",`invalid do\
main value for ${JSON.stringify(key)}`,`domain.${key}`,value),value}}__name(checkString,"checkString");var domainChecks={
name:checkString("name"),version:checkString("version"),chainId:__name(function(_value){let value=getBigInt(_value,"doma\
in.chainId");return assertArgument(value>=0,"invalid chain ID","domain.chainId",_value),Number.isSafeInteger(value)?Number(
value):toQuantity(value)},"chainId"),verifyingContract:__name(function(value){try{return getAddress(value).toLowerCase()}catch{}
assertArgument(!1,'invalid domain value "verifyingContract"',"domain.verifyingContract",value)},"verifyingContract"),salt:__name(
function(value){let bytes2=getBytes(value,"domain.salt");return assertArgument(bytes2.length===32,'invalid domain value \
"salt"',"domain.salt",value),hexlify(bytes2)},"salt")};function getBaseEncoder(type){{let match=type.match(/^(u?)int(\d+)$/);
if(match){let signed2=match[1]==="",width=parseInt(match[2]);assertArgument(width%8===0&&width!==0&&width<=256&&match[2]===
String(width),"invalid numeric width","type",type);let boundsUpper=mask(BN_MAX_UINT2562,signed2?width-1:width),boundsLower=signed2?
(boundsUpper+BN_15)*BN__1:BN_08;return function(_value){let value=getBigInt(_value,"value");return assertArgument(value>=
boundsLower&&value<=boundsUpper,`value out-of-bounds for ${type}`,"value",value),toBeHex(signed2?toTwos(value,256):value,
32)}}}{let match=type.match(/^bytes(\d+)$/);if(match){let width=parseInt(match[1]);return assertArgument(width!==0&&width<=
32&&match[1]===String(width),"invalid bytes width","type",type),function(value){let bytes2=getBytes(value);return assertArgument(
bytes2.length===width,`invalid length for ${type}`,"value",value),hexPadRight(value)}}}switch(type){case"address":return function(value){
return zeroPadValue(getAddress(value),32)};case"bool":return function(value){return value?hexTrue:hexFalse};case"bytes":
return function(value){return keccak2562(value)};case"string":return function(value){return id(value)}}return null}__name(
getBaseEncoder,"getBaseEncoder");function encodeType(name,fields){return`${name}(${fields.map(({name:name2,type})=>type+
" "+name2).join(",")})`}__name(encodeType,"encodeType");function splitArray(type){let match=type.match(/^([^\x5b]*)((\x5b\d*\x5d)*)(\x5b(\d*)\x5d)$/);
return match?{base:match[1],index:match[2]+match[4],array:{base:match[1],prefix:match[1]+match[2],count:match[5]?parseInt(
match[5]):-1}}:{base:type}}__name(splitArray,"splitArray");var TypedDataEncoder=class _TypedDataEncoder{static{__name(this,
"TypedDataEncoder")}primaryType;#types;get types(){return JSON.parse(this.#types)}#fullTypes;#encoderCache;constructor(_types){
this.#fullTypes=new Map,this.#encoderCache=new Map;let links=new Map,parents=new Map,subtypes=new Map,types={};Object.keys(
_types).forEach(type=>{types[type]=_types[type].map(({name,type:type2})=>{let{base,index}=splitArray(type2);return base===
"int"&&!_types.int&&(base="int256"),base==="uint"&&!_types.uint&&(base="uint256"),{name,type:base+(index||"")}}),links.set(
type,new Set),parents.set(type,[]),subtypes.set(type,new Set)}),this.#types=JSON.stringify(types);for(let name in types){
let uniqueNames=new Set;for(let field of types[name]){assertArgument(!uniqueNames.has(field.name),`duplicate variable na\
me ${JSON.stringify(field.name)} in ${JSON.stringify(name)}`,"types",_types),uniqueNames.add(field.name);let baseType=splitArray(
field.type).base;assertArgument(baseType!==name,`circular type reference to ${JSON.stringify(baseType)}`,"types",_types),
!getBaseEncoder(baseType)&&(assertArgument(parents.has(baseType),`unknown type ${JSON.stringify(baseType)}`,"types",_types),
parents.get(baseType).push(name),links.get(name).add(baseType))}}let primaryTypes=Array.from(parents.keys()).filter(n2=>parents.
get(n2).length===0);assertArgument(primaryTypes.length!==0,"missing primary type","types",_types),assertArgument(primaryTypes.
length===1,`ambiguous primary types or unused types: ${primaryTypes.map(t=>JSON.stringify(t)).join(", ")}`,"types",_types),
defineProperties(this,{primaryType:primaryTypes[0]});function checkCircular(type,found){assertArgument(!found.has(type),
`circular type reference to ${JSON.stringify(type)}`,"types",_types),found.add(type);for(let child of links.get(type))if(parents.
has(child)){checkCircular(child,found);for(let subtype of found)subtypes.get(subtype).add(child)}found.delete(type)}__name(
checkCircular,"checkCircular"),checkCircular(this.primaryType,new Set);for(let[name,set]of subtypes){let st=Array.from(set);
st.sort(),this.#fullTypes.set(name,encodeType(name,types[name])+st.map(t=>encodeType(t,types[t])).join(""))}}getEncoder(type){
let encoder=this.#encoderCache.get(type);return encoder||(encoder=this.#getEncoder(type),this.#encoderCache.set(type,encoder)),
encoder}#getEncoder(type){{let encoder=getBaseEncoder(type);if(encoder)return encoder}let array=splitArray(type).array;if(array){
let subtype=array.prefix,subEncoder=this.getEncoder(subtype);return value=>{assertArgument(array.count===-1||array.count===
value.length,`array length mismatch; expected length ${array.count}`,"value",value);let result=value.map(subEncoder);return this.#fullTypes.
has(subtype)&&(result=result.map(keccak2562)),keccak2562(concat(result))}}let fields=this.types[type];if(fields){let encodedType=id(
this.#fullTypes.get(type));return value=>{let values=fields.map(({name,type:type2})=>{let result=this.getEncoder(type2)(
value[name]);return this.#fullTypes.has(type2)?keccak2562(result):result});return values.unshift(encodedType),concat(values)}}
assertArgument(!1,`unknown type: ${type}`,"type",type)}encodeType(name){let result=this.#fullTypes.get(name);return assertArgument(
result,`unknown type: ${JSON.stringify(name)}`,"name",name),result}encodeData(type,value){return this.getEncoder(type)(value)}hashStruct(name,value){
return keccak2562(this.encodeData(name,value))}encode(value){return this.encodeData(this.primaryType,value)}hash(value){
return this.hashStruct(this.primaryType,value)}_visit(type,value,callback){if(getBaseEncoder(type))return callback(type,
value);let array=splitArray(type).array;if(array)return assertArgument(array.count===-1||array.count===value.length,`arr\
ay length mismatch; expected length ${array.count}`,"value",value),value.map(v=>this._visit(array.prefix,v,callback));let fields=this.
types[type];if(fields)return fields.reduce((accum,{name,type:type2})=>(accum[name]=this._visit(type2,value[name],callback),
accum),{});assertArgument(!1,`unknown type: ${type}`,"type",type)}visit(value,callback){return this._visit(this.primaryType,
value,callback)}static from(types){return new _TypedDataEncoder(types)}static getPrimaryType(types){return _TypedDataEncoder.
from(types).primaryType}static hashStruct(name,types,value){return _TypedDataEncoder.from(types).hashStruct(name,value)}static hashDomain(domain){
let domainFields=[];for(let name in domain){if(domain[name]==null)continue;let type=domainFieldTypes[name];assertArgument(
type,`invalid typed-data domain key: ${JSON.stringify(name)}`,"domain",domain),domainFields.push({name,type})}return domainFields.
sort((a,b2)=>domainFieldNames.indexOf(a.name)-domainFieldNames.indexOf(b2.name)),_TypedDataEncoder.hashStruct("EIP712Dom\
ain",{EIP712Domain:domainFields},domain)}static encode(domain,types,value){return concat(["0x1901",_TypedDataEncoder.hashDomain(
domain),_TypedDataEncoder.from(types).hash(value)])}static hash(domain,types,value){return keccak2562(_TypedDataEncoder.
encode(domain,types,value))}static async resolveNames(domain,types,value,resolveName){domain=Object.assign({},domain);for(let key in domain)
domain[key]==null&&delete domain[key];let ensCache={};domain.verifyingContract&&!isHexString(domain.verifyingContract,20)&&
(ensCache[domain.verifyingContract]="0x");let encoder=_TypedDataEncoder.from(types);encoder.visit(value,(type,value2)=>(type===
"address"&&!isHexString(value2,20)&&(ensCache[value2]="0x"),value2));for(let name in ensCache)ensCache[name]=await resolveName(
name);return domain.verifyingContract&&ensCache[domain.verifyingContract]&&(domain.verifyingContract=ensCache[domain.verifyingContract]),
value=encoder.visit(value,(type,value2)=>type==="address"&&ensCache[value2]?ensCache[value2]:value2),{domain,value}}static getPayload(domain,types,value){
_TypedDataEncoder.hashDomain(domain);let domainValues={},domainTypes=[];domainFieldNames.forEach(name=>{let value2=domain[name];
value2!=null&&(domainValues[name]=domainChecks[name](value2),domainTypes.push({name,type:domainFieldTypes[name]}))});let encoder=_TypedDataEncoder.
from(types);types=encoder.types;let typesWithDomain=Object.assign({},types);return assertArgument(typesWithDomain.EIP712Domain==
null,"types must not contain EIP712Domain type","types.EIP712Domain",types),typesWithDomain.EIP712Domain=domainTypes,encoder.
encode(value),{types:typesWithDomain,domain:domainValues,primaryType:encoder.primaryType,message:encoder.visit(value,(type,value2)=>{
if(type.match(/^bytes(\d*)/))return hexlify(getBytes(value2));if(type.match(/^u?int/))return getBigInt(value2).toString();
switch(type){case"address":return value2.toLowerCase();case"bool":return!!value2;case"string":return assertArgument(typeof value2==
"string","invalid string","value",value2),value2}assertArgument(!1,"unsupported type","type",type)})}}};function verifyTypedData(domain,types,value,signature){
return recoverAddress(TypedDataEncoder.hash(domain,types,value),signature)}__name(verifyTypedData,"verifyTypedData");function setify(items){let result=new Set;return items.forEach(k=>result.add(k)),Object.freeze(result)}__name(setify,"se\
tify");var _kwVisibDeploy="external public payable override",KwVisibDeploy=setify(_kwVisibDeploy.split(" ")),_kwVisib="c\
onstant external internal payable private public pure view override",KwVisib=setify(_kwVisib.split(" ")),_kwTypes="const\
ructor error event fallback function receive struct",KwTypes=setify(_kwTypes.split(" ")),_kwModifiers="calldata memory s\
torage payable indexed",KwModifiers=setify(_kwModifiers.split(" ")),_kwOther="tuple returns",_keywords=[_kwTypes,_kwModifiers,
_kwOther,_kwVisib].join(" "),Keywords=setify(_keywords.split(" ")),SimpleTokens={"(":"OPEN_PAREN",")":"CLOSE_PAREN","[":"\
OPEN_BRACKET","]":"CLOSE_BRACKET",",":"COMMA","@":"AT"},regexWhitespacePrefix=new RegExp("^(\\s*)"),regexNumberPrefix=new RegExp(
"^([0-9]+)"),regexIdPrefix=new RegExp("^([a-zA-Z$_][a-zA-Z0-9$_]*)"),regexId=new RegExp("^([a-zA-Z$_][a-zA-Z0-9$_]*)$"),
regexType=new RegExp("^(address|bool|bytes([0-9]*)|string|u?int([0-9]*))$"),TokenString=class _TokenString{static{__name(
this,"TokenString")}#offset;#tokens;get offset(){return this.#offset}get length(){return this.#tokens.length-this.#offset}constructor(tokens){
this.#offset=0,this.#tokens=tokens.slice()}clone(){return new _TokenString(this.#tokens)}reset(){this.#offset=0}#subTokenString(from=0,to=0){
return new _TokenString(this.#tokens.slice(from,to).map(t=>Object.freeze(Object.assign({},t,{match:t.match-from,linkBack:t.
linkBack-from,linkNext:t.linkNext-from}))))}popKeyword(allowed){let top=this.peek();if(top.type!=="KEYWORD"||!allowed.has(
top.text))throw new Error(`expected keyword ${top.text}`);return this.pop().text}popType(type){if(this.peek().type!==type){
let top=this.peek();throw new Error(`expected ${type}; got ${top.type} ${JSON.stringify(top.text)}`)}return this.pop().text}popParen(){
let top=this.peek();if(top.type!=="OPEN_PAREN")throw new Error("bad start");let result=this.#subTokenString(this.#offset+
1,top.match+1);return this.#offset=top.match+1,result}popParams(){let top=this.peek();if(top.type!=="OPEN_PAREN")throw new Error(
"bad start");let result=[];for(;this.#offset<top.match-1;){let link=this.peek().linkNext;result.push(this.#subTokenString(
this.#offset+1,link)),this.#offset=link}return this.#offset=top.match+1,result}peek(){if(this.#offset>=this.#tokens.length)
throw new Error("out-of-bounds");return this.#tokens[this.#offset]}peekKeyword(allowed){let top=this.peekType("KEYWORD");
return top!=null&&allowed.has(top)?top:null}peekType(type){if(this.length===0)return null;let top=this.peek();return top.
type===type?top.text:null}pop(){let result=this.peek();return this.#offset++,result}toString(){let tokens=[];for(let i=this.#offset;i<
this.#tokens.length;i++){let token=this.#tokens[i];tokens.push(`${token.type}:${token.text}`)}return`<TokenString ${tokens.
join(" ")}>`}};function lex(text){let tokens=[],throwError2=__name(message=>{let token=offset<text.length?JSON.stringify(
text[offset]):"$EOI";throw new Error(`invalid token ${token} at ${offset}: ${message}`)},"throwError"),brackets=[],commas=[],
offset=0;for(;offset<text.length;){let cur=text.substring(offset),match=cur.match(regexWhitespacePrefix);match&&(offset+=
match[1].length,cur=text.substring(offset));let token={depth:brackets.length,linkBack:-1,linkNext:-1,match:-1,type:"",text:"",
offset,value:-1};tokens.push(token);let type=SimpleTokens[cur[0]]||"";if(type){if(token.type=type,token.text=cur[0],offset++,
type==="OPEN_PAREN")brackets.push(tokens.length-1),commas.push(tokens.length-1);else if(type=="CLOSE_PAREN")brackets.length===
0&&throwError2("no matching open bracket"),token.match=brackets.pop(),tokens[token.match].match=tokens.length-1,token.depth--,
token.linkBack=commas.pop(),tokens[token.linkBack].linkNext=tokens.length-1;else if(type==="COMMA")token.linkBack=commas.
pop(),tokens[token.linkBack].linkNext=tokens.length-1,commas.push(tokens.length-1);else if(type==="OPEN_BRACKET")token.type=
"BRACKET";else if(type==="CLOSE_BRACKET"){let suffix=tokens.pop().text;if(tokens.length>0&&tokens[tokens.length-1].type===
"NUMBER"){let value=tokens.pop().text;suffix=value+suffix,tokens[tokens.length-1].value=getNumber(value)}if(tokens.length===
0||tokens[tokens.length-1].type!=="BRACKET")throw new Error("missing opening bracket");tokens[tokens.length-1].text+=suffix}
continue}if(match=cur.match(regexIdPrefix),match){if(token.text=match[1],offset+=token.text.length,Keywords.has(token.text)){
token.type="KEYWORD";continue}if(token.text.match(regexType)){token.type="TYPE";continue}token.type="ID";continue}if(match=
cur.match(regexNumberPrefix),match){token.text=match[1],token.type="NUMBER",offset+=token.text.length;continue}throw new Error(
`unexpected token ${JSON.stringify(cur[0])} at position ${offset}`)}return new TokenString(tokens.map(t=>Object.freeze(t)))}
__name(lex,"lex");function allowSingle(set,allowed){let included=[];for(let key in allowed.keys())set.has(key)&&included.
push(key);if(included.length>1)throw new Error(`conflicting types: ${included.join(", ")}`)}__name(allowSingle,"allowSin\
gle");function consumeName(type,tokens){if(tokens.peekKeyword(KwTypes)){let keyword=tokens.pop().text;if(keyword!==type)
throw new Error(`expected ${type}, got ${keyword}`)}return tokens.popType("ID")}__name(consumeName,"consumeName");function consumeKeywords(tokens,allowed){
let keywords=new Set;for(;;){let keyword=tokens.peekType("KEYWORD");if(keyword==null||allowed&&!allowed.has(keyword))break;
if(tokens.pop(),keywords.has(keyword))throw new Error(`duplicate keywords: ${JSON.stringify(keyword)}`);keywords.add(keyword)}
return Object.freeze(keywords)}__name(consumeKeywords,"consumeKeywords");function consumeMutability(tokens){let modifiers=consumeKeywords(
tokens,KwVisib);return allowSingle(modifiers,setify("constant payable nonpayable".split(" "))),allowSingle(modifiers,setify(
"pure view payable nonpayable".split(" "))),modifiers.has("view")?"view":modifiers.has("pure")?"pure":modifiers.has("pay\
able")?"payable":modifiers.has("nonpayable")?"nonpayable":modifiers.has("constant")?"view":"nonpayable"}__name(consumeMutability,
"consumeMutability");function consumeParams(tokens,allowIndexed){return tokens.popParams().map(t=>ParamType.from(t,allowIndexed))}
__name(consumeParams,"consumeParams");function consumeGas(tokens){if(tokens.peekType("AT")){if(tokens.pop(),tokens.peekType(
"NUMBER"))return getBigInt(tokens.pop().text);throw new Error("invalid gas")}return null}__name(consumeGas,"consumeGas");
function consumeEoi(tokens){if(tokens.length)throw new Error(`unexpected tokens at offset ${tokens.offset}: ${tokens.toString()}`)}
__name(consumeEoi,"consumeEoi");var regexArrayType=new RegExp(/^(.*)\[([0-9]*)\]$/);function verifyBasicType(type){let match=type.
match(regexType);if(assertArgument(match,"invalid type","type",type),type==="uint")return"uint256";if(type==="int")return"\
int256";if(match[2]){let length=parseInt(match[2]);assertArgument(length!==0&&length<=32,"invalid bytes length","type",type)}else if(match[3]){
let size=parseInt(match[3]);assertArgument(size!==0&&size<=256&&size%8===0,"invalid numeric width","type",type)}return type}
__name(verifyBasicType,"verifyBasicType");var _guard4={},internal=Symbol.for("_ethers_internal"),ParamTypeInternal="_Par\
amTypeInternal",ErrorFragmentInternal="_ErrorInternal",EventFragmentInternal="_EventInternal",ConstructorFragmentInternal="\
_ConstructorInternal",FallbackFragmentInternal="_FallbackInternal",FunctionFragmentInternal="_FunctionInternal",StructFragmentInternal="\
_StructInternal",ParamType=class _ParamType{static{__name(this,"ParamType")}name;type;baseType;indexed;components;arrayLength;arrayChildren;constructor(guard,name,type,baseType,indexed,components,arrayLength,arrayChildren){
if(assertPrivate(guard,_guard4,"ParamType"),Object.defineProperty(this,internal,{value:ParamTypeInternal}),components&&(components=
Object.freeze(components.slice())),baseType==="array"){if(arrayLength==null||arrayChildren==null)throw new Error("")}else if(arrayLength!=
null||arrayChildren!=null)throw new Error("");if(baseType==="tuple"){if(components==null)throw new Error("")}else if(components!=
null)throw new Error("");defineProperties(this,{name,type,baseType,indexed,components,arrayLength,arrayChildren})}format(format){
if(format==null&&(format="sighash"),format==="json"){let name=this.name||"";if(this.isArray()){let result3=JSON.parse(this.
arrayChildren.format("json"));return result3.name=name,result3.type+=`[${this.arrayLength<0?"":String(this.arrayLength)}\
]`,JSON.stringify(result3)}let result2={type:this.baseType==="tuple"?"tuple":this.type,name};return typeof this.indexed==
"boolean"&&(result2.indexed=this.indexed),this.isTuple()&&(result2.components=this.components.map(c=>JSON.parse(c.format(
format)))),JSON.stringify(result2)}let result="";return this.isArray()?(result+=this.arrayChildren.format(format),result+=
`[${this.arrayLength<0?"":String(this.arrayLength)}]`):this.isTuple()?result+="("+this.components.map(comp=>comp.format(
format)).join(format==="full"?", ":",")+")":result+=this.type,format!=="sighash"&&(this.indexed===!0&&(result+=" indexed"),
format==="full"&&this.name&&(result+=" "+this.name)),result}isArray(){return this.baseType==="array"}isTuple(){return this.
baseType==="tuple"}isIndexable(){return this.indexed!=null}walk(value,process){if(this.isArray()){if(!Array.isArray(value))
throw new Error("invalid array value");if(this.arrayLength!==-1&&value.length!==this.arrayLength)throw new Error("array \
is wrong length");let _this=this;return value.map(v=>_this.arrayChildren.walk(v,process))}if(this.isTuple()){if(!Array.isArray(
value))throw new Error("invalid tuple value");if(value.length!==this.components.length)throw new Error("array is wrong l\
ength");let _this=this;return value.map((v,i)=>_this.components[i].walk(v,process))}return process(this.type,value)}#walkAsync(promises,value,process,setValue){
if(this.isArray()){if(!Array.isArray(value))throw new Error("invalid array value");if(this.arrayLength!==-1&&value.length!==
this.arrayLength)throw new Error("array is wrong length");let childType=this.arrayChildren,result2=value.slice();result2.
forEach((value2,index)=>{childType.#walkAsync(promises,value2,process,value3=>{result2[index]=value3})}),setValue(result2);
return}if(this.isTuple()){let components=this.components,result2;if(Array.isArray(value))result2=value.slice();else{if(value==
null||typeof value!="object")throw new Error("invalid tuple value");result2=components.map(param=>{if(!param.name)throw new Error(
"cannot use object value with unnamed components");if(!(param.name in value))throw new Error(`missing value for componen\
t ${param.name}`);return value[param.name]})}if(result2.length!==this.components.length)throw new Error("array is wrong \
length");result2.forEach((value2,index)=>{components[index].#walkAsync(promises,value2,process,value3=>{result2[index]=value3})}),
setValue(result2);return}let result=process(this.type,value);result.then?promises.push((async function(){setValue(await result)})()):
setValue(result)}async walkAsync(value,process){let promises=[],result=[value];return this.#walkAsync(promises,value,process,
value2=>{result[0]=value2}),promises.length&&await Promise.all(promises),result[0]}static from(obj,allowIndexed){if(_ParamType.
isParamType(obj))return obj;if(typeof obj=="string")try{return _ParamType.from(lex(obj),allowIndexed)}catch{assertArgument(
!1,"invalid param type","obj",obj)}else if(obj instanceof TokenString){let type2="",baseType="",comps=null;consumeKeywords(
obj,setify(["tuple"])).has("tuple")||obj.peekType("OPEN_PAREN")?(baseType="tuple",comps=obj.popParams().map(t=>_ParamType.
from(t)),type2=`tuple(${comps.map(c=>c.format()).join(",")})`):(type2=verifyBasicType(obj.popType("TYPE")),baseType=type2);
let arrayChildren=null,arrayLength=null;for(;obj.length&&obj.peekType("BRACKET");){let bracket=obj.pop();arrayChildren=new _ParamType(
_guard4,"",type2,baseType,null,comps,arrayLength,arrayChildren),arrayLength=bracket.value,type2+=bracket.text,baseType="\
array",comps=null}let indexed2=null;if(consumeKeywords(obj,KwModifiers).has("indexed")){if(!allowIndexed)throw new Error(
"");indexed2=!0}let name2=obj.peekType("ID")?obj.pop().text:"";if(obj.length)throw new Error("leftover tokens");return new _ParamType(
_guard4,name2,type2,baseType,indexed2,comps,arrayLength,arrayChildren)}let name=obj.name;assertArgument(!name||typeof name==
"string"&&name.match(regexId),"invalid name","obj.name",name);let indexed=obj.indexed;indexed!=null&&(assertArgument(allowIndexed,
"parameter cannot be indexed","obj.indexed",obj.indexed),indexed=!!indexed);let type=obj.type,arrayMatch=type.match(regexArrayType);
if(arrayMatch){let arrayLength=parseInt(arrayMatch[2]||"-1"),arrayChildren=_ParamType.from({type:arrayMatch[1],components:obj.
components});return new _ParamType(_guard4,name||"",type,"array",indexed,null,arrayLength,arrayChildren)}if(type==="tupl\
e"||type.startsWith("tuple(")||type.startsWith("(")){let comps=obj.components!=null?obj.components.map(c=>_ParamType.from(
c)):null;return new _ParamType(_guard4,name||"",type,"tuple",indexed,comps,null,null)}return type=verifyBasicType(obj.type),
new _ParamType(_guard4,name||"",type,type,indexed,null,null,null)}static isParamType(value){return value&&value[internal]===
ParamTypeInternal}},Fragment=class _Fragment{static{__name(this,"Fragment")}type;inputs;constructor(guard,type,inputs){assertPrivate(
guard,_guard4,"Fragment"),inputs=Object.freeze(inputs.slice()),defineProperties(this,{type,inputs})}static from(obj){if(typeof obj==
"string"){try{_Fragment.from(JSON.parse(obj))}catch{}return _Fragment.from(lex(obj))}if(obj instanceof TokenString)switch(obj.
peekKeyword(KwTypes)){case"constructor":return ConstructorFragment.from(obj);case"error":return ErrorFragment.from(obj);case"\
event":return EventFragment.from(obj);case"fallback":case"receive":return FallbackFragment.from(obj);case"function":return FunctionFragment.
from(obj);case"struct":return StructFragment.from(obj)}else if(typeof obj=="object"){switch(obj.type){case"constructor":
return ConstructorFragment.from(obj);case"error":return ErrorFragment.from(obj);case"event":return EventFragment.from(obj);case"\
fallback":case"receive":return FallbackFragment.from(obj);case"function":return FunctionFragment.from(obj);case"struct":
return StructFragment.from(obj)}assert(!1,`unsupported type: ${obj.type}`,"UNSUPPORTED_OPERATION",{operation:"Fragment.f\
rom"})}assertArgument(!1,"unsupported frgament object","obj",obj)}static isConstructor(value){return ConstructorFragment.
isFragment(value)}static isError(value){return ErrorFragment.isFragment(value)}static isEvent(value){return EventFragment.
isFragment(value)}static isFunction(value){return FunctionFragment.isFragment(value)}static isStruct(value){return StructFragment.
isFragment(value)}},NamedFragment=class extends Fragment{static{__name(this,"NamedFragment")}name;constructor(guard,type,name,inputs){
super(guard,type,inputs),assertArgument(typeof name=="string"&&name.match(regexId),"invalid identifier","name",name),inputs=
Object.freeze(inputs.slice()),defineProperties(this,{name})}};function joinParams(format,params){return"("+params.map(p=>p.
format(format)).join(format==="full"?", ":",")+")"}__name(joinParams,"joinParams");var ErrorFragment=class _ErrorFragment extends NamedFragment{static{
__name(this,"ErrorFragment")}constructor(guard,name,inputs){super(guard,"error",name,inputs),Object.defineProperty(this,
internal,{value:ErrorFragmentInternal})}get selector(){return id(this.format("sighash")).substring(0,10)}format(format){
if(format==null&&(format="sighash"),format==="json")return JSON.stringify({type:"error",name:this.name,inputs:this.inputs.
map(input=>JSON.parse(input.format(format)))});let result=[];return format!=="sighash"&&result.push("error"),result.push(
this.name+joinParams(format,this.inputs)),result.join(" ")}static from(obj){if(_ErrorFragment.isFragment(obj))return obj;
if(typeof obj=="string")return _ErrorFragment.from(lex(obj));if(obj instanceof TokenString){let name=consumeName("error",
obj),inputs=consumeParams(obj);return consumeEoi(obj),new _ErrorFragment(_guard4,name,inputs)}return new _ErrorFragment(
_guard4,obj.name,obj.inputs?obj.inputs.map(ParamType.from):[])}static isFragment(value){return value&&value[internal]===
ErrorFragmentInternal}},EventFragment=class _EventFragment extends NamedFragment{static{__name(this,"EventFragment")}anonymous;constructor(guard,name,inputs,anonymous){
super(guard,"event",name,inputs),Object.defineProperty(this,internal,{value:EventFragmentInternal}),defineProperties(this,
{anonymous})}get topicHash(){return id(this.format("sighash"))}format(format){if(format==null&&(format="sighash"),format===
"json")return JSON.stringify({type:"event",anonymous:this.anonymous,name:this.name,inputs:this.inputs.map(i=>JSON.parse(
i.format(format)))});let result=[];return format!=="sighash"&&result.push("event"),result.push(this.name+joinParams(format,
this.inputs)),format!=="sighash"&&this.anonymous&&result.push("anonymous"),result.join(" ")}static getTopicHash(name,params){
return params=(params||[]).map(p=>ParamType.from(p)),new _EventFragment(_guard4,name,params,!1).topicHash}static from(obj){
if(_EventFragment.isFragment(obj))return obj;if(typeof obj=="string")try{return _EventFragment.from(lex(obj))}catch{assertArgument(
!1,"invalid event fragment","obj",obj)}else if(obj instanceof TokenString){let name=consumeName("event",obj),inputs=consumeParams(
obj,!0),anonymous=!!consumeKeywords(obj,setify(["anonymous"])).has("anonymous");return consumeEoi(obj),new _EventFragment(
_guard4,name,inputs,anonymous)}return new _EventFragment(_guard4,obj.name,obj.inputs?obj.inputs.map(p=>ParamType.from(p,
!0)):[],!!obj.anonymous)}static isFragment(value){return value&&value[internal]===EventFragmentInternal}},ConstructorFragment=class _ConstructorFragment extends Fragment{static{
__name(this,"ConstructorFragment")}payable;gas;constructor(guard,type,inputs,payable,gas){super(guard,type,inputs),Object.
defineProperty(this,internal,{value:ConstructorFragmentInternal}),defineProperties(this,{payable,gas})}format(format){if(assert(
format!=null&&format!=="sighash","cannot format a constructor for sighash","UNSUPPORTED_OPERATION",{operation:"format(si\
ghash)"}),format==="json")return JSON.stringify({type:"constructor",stateMutability:this.payable?"payable":"undefined",payable:this.
payable,gas:this.gas!=null?this.gas:void 0,inputs:this.inputs.map(i=>JSON.parse(i.format(format)))});let result=[`constr\
uctor${joinParams(format,this.inputs)}`];return this.payable&&result.push("payable"),this.gas!=null&&result.push(`@${this.
gas.toString()}`),result.join(" ")}static from(obj){if(_ConstructorFragment.isFragment(obj))return obj;if(typeof obj=="s\
tring")try{return _ConstructorFragment.from(lex(obj))}catch{assertArgument(!1,"invalid constuctor fragment","obj",obj)}else if(obj instanceof
TokenString){consumeKeywords(obj,setify(["constructor"]));let inputs=consumeParams(obj),payable=!!consumeKeywords(obj,KwVisibDeploy).
has("payable"),gas=consumeGas(obj);return consumeEoi(obj),new _ConstructorFragment(_guard4,"constructor",inputs,payable,
gas)}return new _ConstructorFragment(_guard4,"constructor",obj.inputs?obj.inputs.map(ParamType.from):[],!!obj.payable,obj.
gas!=null?obj.gas:null)}static isFragment(value){return value&&value[internal]===ConstructorFragmentInternal}},FallbackFragment=class _FallbackFragment extends Fragment{static{
__name(this,"FallbackFragment")}payable;constructor(guard,inputs,payable){super(guard,"fallback",inputs),Object.defineProperty(
this,internal,{value:FallbackFragmentInternal}),defineProperties(this,{payable})}format(format){let type=this.inputs.length===
0?"receive":"fallback";if(format==="json"){let stateMutability=this.payable?"payable":"nonpayable";return JSON.stringify(
{type,stateMutability})}return`${type}()${this.payable?" payable":""}`}static from(obj){if(_FallbackFragment.isFragment(
obj))return obj;if(typeof obj=="string")try{return _FallbackFragment.from(lex(obj))}catch{assertArgument(!1,"invalid fal\
lback fragment","obj",obj)}else if(obj instanceof TokenString){let errorObj=obj.toString(),topIsValid=obj.peekKeyword(setify(
["fallback","receive"]));if(assertArgument(topIsValid,"type must be fallback or receive","obj",errorObj),obj.popKeyword(
setify(["fallback","receive"]))==="receive"){let inputs2=consumeParams(obj);return assertArgument(inputs2.length===0,"re\
ceive cannot have arguments","obj.inputs",inputs2),consumeKeywords(obj,setify(["payable"])),consumeEoi(obj),new _FallbackFragment(
_guard4,[],!0)}let inputs=consumeParams(obj);inputs.length?assertArgument(inputs.length===1&&inputs[0].type==="bytes","i\
nvalid fallback inputs","obj.inputs",inputs.map(i=>i.format("minimal")).join(", ")):inputs=[ParamType.from("bytes")];let mutability=consumeMutability(
obj);if(assertArgument(mutability==="nonpayable"||mutability==="payable","fallback cannot be constants","obj.stateMutabi\
lity",mutability),consumeKeywords(obj,setify(["returns"])).has("returns")){let outputs=consumeParams(obj);assertArgument(
outputs.length===1&&outputs[0].type==="bytes","invalid fallback outputs","obj.outputs",outputs.map(i=>i.format("minimal")).
join(", "))}return consumeEoi(obj),new _FallbackFragment(_guard4,inputs,mutability==="payable")}if(obj.type==="receive")
return new _FallbackFragment(_guard4,[],!0);if(obj.type==="fallback"){let inputs=[ParamType.from("bytes")],payable=obj.stateMutability===
"payable";return new _FallbackFragment(_guard4,inputs,payable)}assertArgument(!1,"invalid fallback description","obj",obj)}static isFragment(value){
return value&&value[internal]===FallbackFragmentInternal}},FunctionFragment=class _FunctionFragment extends NamedFragment{static{
__name(this,"FunctionFragment")}constant;outputs;stateMutability;payable;gas;constructor(guard,name,stateMutability,inputs,outputs,gas){
super(guard,"function",name,inputs),Object.defineProperty(this,internal,{value:FunctionFragmentInternal}),outputs=Object.
freeze(outputs.slice()),defineProperties(this,{constant:stateMutability==="view"||stateMutability==="pure",gas,outputs,payable:stateMutability===
"payable",stateMutability})}get selector(){return id(this.format("sighash")).substring(0,10)}format(format){if(format==null&&
(format="sighash"),format==="json")return JSON.stringify({type:"function",name:this.name,constant:this.constant,stateMutability:this.
stateMutability!=="nonpayable"?this.stateMutability:void 0,payable:this.payable,gas:this.gas!=null?this.gas:void 0,inputs:this.
inputs.map(i=>JSON.parse(i.format(format))),outputs:this.outputs.map(o=>JSON.parse(o.format(format)))});let result=[];return format!==
"sighash"&&result.push("function"),result.push(this.name+joinParams(format,this.inputs)),format!=="sighash"&&(this.stateMutability!==
"nonpayable"&&result.push(this.stateMutability),this.outputs&&this.outputs.length&&(result.push("returns"),result.push(joinParams(
format,this.outputs))),this.gas!=null&&result.push(`@${this.gas.toString()}`)),result.join(" ")}static getSelector(name,params){
return params=(params||[]).map(p=>ParamType.from(p)),new _FunctionFragment(_guard4,name,"view",params,[],null).selector}static from(obj){
if(_FunctionFragment.isFragment(obj))return obj;if(typeof obj=="string")try{return _FunctionFragment.from(lex(obj))}catch{
assertArgument(!1,"invalid function fragment","obj",obj)}else if(obj instanceof TokenString){let name=consumeName("funct\
ion",obj),inputs=consumeParams(obj),mutability=consumeMutability(obj),outputs=[];consumeKeywords(obj,setify(["returns"])).
has("returns")&&(outputs=consumeParams(obj));let gas=consumeGas(obj);return consumeEoi(obj),new _FunctionFragment(_guard4,
name,mutability,inputs,outputs,gas)}let stateMutability=obj.stateMutability;return stateMutability==null&&(stateMutability=
"payable",typeof obj.constant=="boolean"?(stateMutability="view",obj.constant||(stateMutability="payable",typeof obj.payable==
"boolean"&&!obj.payable&&(stateMutability="nonpayable"))):typeof obj.payable=="boolean"&&!obj.payable&&(stateMutability=
"nonpayable")),new _FunctionFragment(_guard4,obj.name,stateMutability,obj.inputs?obj.inputs.map(ParamType.from):[],obj.outputs?
obj.outputs.map(ParamType.from):[],obj.gas!=null?obj.gas:null)}static isFragment(value){return value&&value[internal]===
FunctionFragmentInternal}},StructFragment=class _StructFragment extends NamedFragment{static{__name(this,"StructFragment")}constructor(guard,name,inputs){
super(guard,"struct",name,inputs),Object.defineProperty(this,internal,{value:StructFragmentInternal})}format(){throw new Error(
"@TODO")}static from(obj){if(typeof obj=="string")try{return _StructFragment.from(lex(obj))}catch{assertArgument(!1,"inv\
alid struct fragment","obj",obj)}else if(obj instanceof TokenString){let name=consumeName("struct",obj),inputs=consumeParams(
obj);return consumeEoi(obj),new _StructFragment(_guard4,name,inputs)}return new _StructFragment(_guard4,obj.name,obj.inputs?
obj.inputs.map(ParamType.from):[])}static isFragment(value){return value&&value[internal]===StructFragmentInternal}};var PanicReasons=new Map;PanicReasons.set(0,"GENERIC_PANIC");PanicReasons.set(1,"ASSERT_FALSE");PanicReasons.set(17,"OVE\
RFLOW");PanicReasons.set(18,"DIVIDE_BY_ZERO");PanicReasons.set(33,"ENUM_RANGE_ERROR");PanicReasons.set(34,"BAD_STORAGE_D\
ATA");PanicReasons.set(49,"STACK_UNDERFLOW");PanicReasons.set(50,"ARRAY_RANGE_ERROR");PanicReasons.set(65,"OUT_OF_MEMORY");
PanicReasons.set(81,"UNINITIALIZED_FUNCTION_CALL");var paramTypeBytes=new RegExp(/^bytes([0-9]*)$/),paramTypeNumber=new RegExp(
/^(u?int)([0-9]*)$/),defaultCoder=null,defaultMaxInflation=1024;function getBuiltinCallException(action,tx,data,abiCoder){
let message="missing revert data",reason=null,invocation=null,revert=null;if(data){message="execution reverted";let bytes2=getBytes(
data);if(data=hexlify(data),bytes2.length===0)message+=" (no data present; likely require(false) occurred",reason="requi\
re(false)";else if(bytes2.length%32!==4)message+=" (could not decode reason; invalid data length)";else if(hexlify(bytes2.
slice(0,4))==="0x08c379a0")try{reason=abiCoder.decode(["string"],bytes2.slice(4))[0],revert={signature:"Error(string)",name:"\
Error",args:[reason]},message+=`: ${JSON.stringify(reason)}`}catch{message+=" (could not decode reason; invalid string d\
ata)"}else if(hexlify(bytes2.slice(0,4))==="0x4e487b71")try{let code=Number(abiCoder.decode(["uint256"],bytes2.slice(4))[0]);
revert={signature:"Panic(uint256)",name:"Panic",args:[code]},reason=`Panic due to ${PanicReasons.get(code)||"UNKNOWN"}(${code}\
)`,message+=`: ${reason}`}catch{message+=" (could not decode panic code)"}else message+=" (unknown custom error)"}let transaction={
to:tx.to?getAddress(tx.to):null,data:tx.data||"0x"};return tx.from&&(transaction.from=getAddress(tx.from)),makeError(message,
"CALL_EXCEPTION",{action,data,reason,transaction,invocation,revert})}__name(getBuiltinCallException,"getBuiltinCallExcep\
tion");var AbiCoder=class _AbiCoder{static{__name(this,"AbiCoder")}#getCoder(param){if(param.isArray())return new ArrayCoder(
this.#getCoder(param.arrayChildren),param.arrayLength,param.name);if(param.isTuple())return new TupleCoder(param.components.
map(c=>this.#getCoder(c)),param.name);switch(param.baseType){case"address":return new AddressCoder(param.name);case"bool":
return new BooleanCoder(param.name);case"string":return new StringCoder(param.name);case"bytes":return new BytesCoder(param.
name);case"":return new NullCoder(param.name)}let match=param.type.match(paramTypeNumber);if(match){let size=parseInt(match[2]||
"256");return assertArgument(size!==0&&size<=256&&size%8===0,"invalid "+match[1]+" bit length","param",param),new NumberCoder(
size/8,match[1]==="int",param.name)}if(match=param.type.match(paramTypeBytes),match){let size=parseInt(match[1]);return assertArgument(
size!==0&&size<=32,"invalid bytes length","param",param),new FixedBytesCoder(size,param.name)}assertArgument(!1,"invalid\
 type","type",param.type)}getDefaultValue(types){let coders=types.map(type=>this.#getCoder(ParamType.from(type)));return new TupleCoder(
coders,"_").defaultValue()}encode(types,values){assertArgumentCount(values.length,types.length,"types/values length mism\
atch");let coders=types.map(type=>this.#getCoder(ParamType.from(type))),coder=new TupleCoder(coders,"_"),writer=new Writer;
return coder.encode(writer,values),writer.data}decode(types,data,loose){let coders=types.map(type=>this.#getCoder(ParamType.
from(type)));return new TupleCoder(coders,"_").decode(new Reader(data,loose,defaultMaxInflation))}static _setDefaultMaxInflation(value){
assertArgument(typeof value=="number"&&Number.isInteger(value),"invalid defaultMaxInflation factor","value",value),defaultMaxInflation=
value}static defaultAbiCoder(){return defaultCoder==null&&(defaultCoder=new _AbiCoder),defaultCoder}static getBuiltinCallException(action,tx,data){
return getBuiltinCallException(action,tx,data,_AbiCoder.defaultAbiCoder())}};function encodeBytes32String(text){let bytes2=toUtf8Bytes(text);if(bytes2.length>31)throw new Error("bytes32 string must\
 be less than 32 bytes");return zeroPadBytes(bytes2,32)}__name(encodeBytes32String,"encodeBytes32String");function decodeBytes32String(_bytes){
let data=getBytes(_bytes,"bytes");if(data.length!==32)throw new Error("invalid bytes32 - not 32 bytes long");if(data[31]!==
0)throw new Error("invalid bytes32 string - no null terminator");let length=31;for(;data[length-1]===0;)length--;return toUtf8String(
data.slice(0,length))}__name(decodeBytes32String,"decodeBytes32String");var LogDescription=class{static{__name(this,"LogDescription")}fragment;name;signature;topic;args;constructor(fragment,topic,args){
let name=fragment.name,signature=fragment.format();defineProperties(this,{fragment,name,signature,topic,args})}},TransactionDescription=class{static{
__name(this,"TransactionDescription")}fragment;name;args;signature;selector;value;constructor(fragment,selector,args,value){
let name=fragment.name,signature=fragment.format();defineProperties(this,{fragment,name,args,signature,selector,value})}},
ErrorDescription=class{static{__name(this,"ErrorDescription")}fragment;name;args;signature;selector;constructor(fragment,selector,args){
let name=fragment.name,signature=fragment.format();defineProperties(this,{fragment,name,args,signature,selector})}},Indexed=class{static{
__name(this,"Indexed")}hash;_isIndexed;static isIndexed(value){return!!(value&&value._isIndexed)}constructor(hash3){defineProperties(
this,{hash:hash3,_isIndexed:!0})}},PanicReasons2={0:"generic panic",1:"assert(false)",17:"arithmetic overflow",18:"divis\
ion or modulo by zero",33:"enum overflow",34:"invalid encoded storage byte array accessed",49:"out-of-bounds array acces\
s; popping on an empty array",50:"out-of-bounds access of an array or bytesN",65:"out of memory",81:"uninitialized funct\
ion"},BuiltinErrors={"0x08c379a0":{signature:"Error(string)",name:"Error",inputs:["string"],reason:__name(message=>`reve\
rted with reason string ${JSON.stringify(message)}`,"reason")},"0x4e487b71":{signature:"Panic(uint256)",name:"Panic",inputs:[
"uint256"],reason:__name(code=>{let reason="unknown panic code";return code>=0&&code<=255&&PanicReasons2[code.toString()]&&
(reason=PanicReasons2[code.toString()]),`reverted with panic code 0x${code.toString(16)} (${reason})`},"reason")}},Interface=class _Interface{static{
__name(this,"Interface")}fragments;deploy;fallback;receive;#errors;#events;#functions;#abiCoder;constructor(fragments){let abi=[];
typeof fragments=="string"?abi=JSON.parse(fragments):abi=fragments,this.#functions=new Map,this.#errors=new Map,this.#events=
new Map;let frags=[];for(let a of abi)try{frags.push(Fragment.from(a))}catch(error){console.log(`[Warning] Invalid Fragm\
ent ${JSON.stringify(a)}:`,error.message)}defineProperties(this,{fragments:Object.freeze(frags)});let fallback=null,receive=!1;
this.#abiCoder=this.getAbiCoder(),this.fragments.forEach((fragment,index)=>{let bucket;switch(fragment.type){case"constr\
uctor":if(this.deploy){console.log("duplicate definition - constructor");return}defineProperties(this,{deploy:fragment});
return;case"fallback":fragment.inputs.length===0?receive=!0:(assertArgument(!fallback||fragment.payable!==fallback.payable,
"conflicting fallback fragments",`fragments[${index}]`,fragment),fallback=fragment,receive=fallback.payable);return;case"\
function":bucket=this.#functions;break;case"event":bucket=this.#events;break;case"error":bucket=this.#errors;break;default:
return}let signature=fragment.format();bucket.has(signature)||bucket.set(signature,fragment)}),this.deploy||defineProperties(
this,{deploy:ConstructorFragment.from("constructor()")}),defineProperties(this,{fallback,receive})}format(minimal){let format=minimal?
"minimal":"full";return this.fragments.map(f2=>f2.format(format))}formatJson(){let abi=this.fragments.map(f2=>f2.format(
"json"));return JSON.stringify(abi.map(j=>JSON.parse(j)))}getAbiCoder(){return AbiCoder.defaultAbiCoder()}#getFunction(key,values,forceUnique){
if(isHexString(key)){let selector=key.toLowerCase();for(let fragment of this.#functions.values())if(selector===fragment.
selector)return fragment;return null}if(key.indexOf("(")===-1){let matching=[];for(let[name,fragment]of this.#functions)
name.split("(")[0]===key&&matching.push(fragment);if(values){let lastValue=values.length>0?values[values.length-1]:null,
valueLength=values.length,allowOptions=!0;Typed.isTyped(lastValue)&&lastValue.type==="overrides"&&(allowOptions=!1,valueLength--);
for(let i=matching.length-1;i>=0;i--){let inputs=matching[i].inputs.length;inputs!==valueLength&&(!allowOptions||inputs!==
valueLength-1)&&matching.splice(i,1)}for(let i=matching.length-1;i>=0;i--){let inputs=matching[i].inputs;for(let j=0;j<values.
length;j++)if(Typed.isTyped(values[j])){if(j>=inputs.length){if(values[j].type==="overrides")continue;matching.splice(i,
1);break}if(values[j].type!==inputs[j].baseType){matching.splice(i,1);break}}}}if(matching.length===1&&values&&values.length!==
matching[0].inputs.length){let lastArg=values[values.length-1];(lastArg==null||Array.isArray(lastArg)||typeof lastArg!="\
object")&&matching.splice(0,1)}if(matching.length===0)return null;if(matching.length>1&&forceUnique){let matchStr=matching.
map(m=>JSON.stringify(m.format())).join(", ");assertArgument(!1,`ambiguous function description (i.e. matches ${matchStr}\
)`,"key",key)}return matching[0]}let result=this.#functions.get(FunctionFragment.from(key).format());return result||null}getFunctionName(key){
let fragment=this.#getFunction(key,null,!1);return assertArgument(fragment,"no matching function","key",key),fragment.name}hasFunction(key){
return!!this.#getFunction(key,null,!1)}getFunction(key,values){return this.#getFunction(key,values||null,!0)}forEachFunction(callback){
let names2=Array.from(this.#functions.keys());names2.sort((a,b2)=>a.localeCompare(b2));for(let i=0;i<names2.length;i++){
let name=names2[i];callback(this.#functions.get(name),i)}}#getEvent(key,values,forceUnique){if(isHexString(key)){let eventTopic=key.
toLowerCase();for(let fragment of this.#events.values())if(eventTopic===fragment.topicHash)return fragment;return null}if(key.
indexOf("(")===-1){let matching=[];for(let[name,fragment]of this.#events)name.split("(")[0]===key&&matching.push(fragment);
if(values){for(let i=matching.length-1;i>=0;i--)matching[i].inputs.length<values.length&&matching.splice(i,1);for(let i=matching.
length-1;i>=0;i--){let inputs=matching[i].inputs;for(let j=0;j<values.length;j++)if(Typed.isTyped(values[j])&&values[j].
type!==inputs[j].baseType){matching.splice(i,1);break}}}if(matching.length===0)return null;if(matching.length>1&&forceUnique){
let matchStr=matching.map(m=>JSON.stringify(m.format())).join(", ");assertArgument(!1,`ambiguous event description (i.e.\
 matches ${matchStr})`,"key",key)}return matching[0]}let result=this.#events.get(EventFragment.from(key).format());return result||
null}getEventName(key){let fragment=this.#getEvent(key,null,!1);return assertArgument(fragment,"no matching event","key",
key),fragment.name}hasEvent(key){return!!this.#getEvent(key,null,!1)}getEvent(key,values){return this.#getEvent(key,values||
null,!0)}forEachEvent(callback){let names2=Array.from(this.#events.keys());names2.sort((a,b2)=>a.localeCompare(b2));for(let i=0;i<
names2.length;i++){let name=names2[i];callback(this.#events.get(name),i)}}getError(key,values){if(isHexString(key)){let selector=key.
toLowerCase();if(BuiltinErrors[selector])return ErrorFragment.from(BuiltinErrors[selector].signature);for(let fragment of this.#errors.
values())if(selector===fragment.selector)return fragment;return null}if(key.indexOf("(")===-1){let matching=[];for(let[name,
fragment]of this.#errors)name.split("(")[0]===key&&matching.push(fragment);if(matching.length===0)return key==="Error"?ErrorFragment.
from("error Error(string)"):key==="Panic"?ErrorFragment.from("error Panic(uint256)"):null;if(matching.length>1){let matchStr=matching.
map(m=>JSON.stringify(m.format())).join(", ");assertArgument(!1,`ambiguous error description (i.e. ${matchStr})`,"name",
key)}return matching[0]}if(key=ErrorFragment.from(key).format(),key==="Error(string)")return ErrorFragment.from("error E\
rror(string)");if(key==="Panic(uint256)")return ErrorFragment.from("error Panic(uint256)");let result=this.#errors.get(key);
return result||null}forEachError(callback){let names2=Array.from(this.#errors.keys());names2.sort((a,b2)=>a.localeCompare(
b2));for(let i=0;i<names2.length;i++){let name=names2[i];callback(this.#errors.get(name),i)}}_decodeParams(params,data){
return this.#abiCoder.decode(params,data)}_encodeParams(params,values){return this.#abiCoder.encode(params,values)}encodeDeploy(values){
return this._encodeParams(this.deploy.inputs,values||[])}decodeErrorResult(fragment,data){if(typeof fragment=="string"){
let f2=this.getError(fragment);assertArgument(f2,"unknown error","fragment",fragment),fragment=f2}return assertArgument(
dataSlice(data,0,4)===fragment.selector,`data signature does not match error ${fragment.name}.`,"data",data),this._decodeParams(
fragment.inputs,dataSlice(data,4))}encodeErrorResult(fragment,values){if(typeof fragment=="string"){let f2=this.getError(
fragment);assertArgument(f2,"unknown error","fragment",fragment),fragment=f2}return concat([fragment.selector,this._encodeParams(
fragment.inputs,values||[])])}decodeFunctionData(fragment,data){if(typeof fragment=="string"){let f2=this.getFunction(fragment);
assertArgument(f2,"unknown function","fragment",fragment),fragment=f2}return assertArgument(dataSlice(data,0,4)===fragment.
selector,`data signature does not match function ${fragment.name}.`,"data",data),this._decodeParams(fragment.inputs,dataSlice(
data,4))}encodeFunctionData(fragment,values){if(typeof fragment=="string"){let f2=this.getFunction(fragment);assertArgument(
f2,"unknown function","fragment",fragment),fragment=f2}return concat([fragment.selector,this._encodeParams(fragment.inputs,
values||[])])}decodeFunctionResult(fragment,data){if(typeof fragment=="string"){let f2=this.getFunction(fragment);assertArgument(
f2,"unknown function","fragment",fragment),fragment=f2}let message="invalid length for result data",bytes2=getBytesCopy(
data);if(bytes2.length%32===0)try{return this.#abiCoder.decode(fragment.outputs,bytes2)}catch{message="could not decode \
result data"}assert(!1,message,"BAD_DATA",{value:hexlify(bytes2),info:{method:fragment.name,signature:fragment.format()}})}makeError(_data,tx){
let data=getBytes(_data,"data"),error=AbiCoder.getBuiltinCallException("call",tx,data);if(error.message.startsWith("exec\
ution reverted (unknown custom error)")){let selector=hexlify(data.slice(0,4)),ef=this.getError(selector);if(ef)try{let args=this.#abiCoder.
decode(ef.inputs,data.slice(4));error.revert={name:ef.name,signature:ef.format(),args},error.reason=error.revert.signature,
error.message=`execution reverted: ${error.reason}`}catch{error.message="execution reverted (coult not decode custom err\
or)"}}let parsed=this.parseTransaction(tx);return parsed&&(error.invocation={method:parsed.name,signature:parsed.signature,
args:parsed.args}),error}encodeFunctionResult(fragment,values){if(typeof fragment=="string"){let f2=this.getFunction(fragment);
assertArgument(f2,"unknown function","fragment",fragment),fragment=f2}return hexlify(this.#abiCoder.encode(fragment.outputs,
values||[]))}encodeFilterTopics(fragment,values){if(typeof fragment=="string"){let f2=this.getEvent(fragment);assertArgument(
f2,"unknown event","eventFragment",fragment),fragment=f2}assert(values.length<=fragment.inputs.length,`too many argument\
s for ${fragment.format()}`,"UNEXPECTED_ARGUMENT",{count:values.length,expectedCount:fragment.inputs.length});let topics=[];
fragment.anonymous||topics.push(fragment.topicHash);let encodeTopic=__name((param,value)=>param.type==="string"?id(value):
param.type==="bytes"?keccak2562(hexlify(value)):(param.type==="bool"&&typeof value=="boolean"?value=value?"0x01":"0x00":
param.type.match(/^u?int/)?value=toBeHex(value):param.type.match(/^bytes/)?value=zeroPadBytes(value,32):param.type==="ad\
dress"&&this.#abiCoder.encode(["address"],[value]),zeroPadValue(hexlify(value),32)),"encodeTopic");for(values.forEach((value,index)=>{
let param=fragment.inputs[index];if(!param.indexed){assertArgument(value==null,"cannot filter non-indexed parameters; mu\
st be null","contract."+param.name,value);return}value==null?topics.push(null):param.baseType==="array"||param.baseType===
"tuple"?assertArgument(!1,"filtering with tuples or arrays not supported","contract."+param.name,value):Array.isArray(value)?
topics.push(value.map(value2=>encodeTopic(param,value2))):topics.push(encodeTopic(param,value))});topics.length&&topics[topics.
length-1]===null;)topics.pop();return topics}encodeEventLog(fragment,values){if(typeof fragment=="string"){let f2=this.getEvent(
fragment);assertArgument(f2,"unknown event","eventFragment",fragment),fragment=f2}let topics=[],dataTypes=[],dataValues=[];
return fragment.anonymous||topics.push(fragment.topicHash),assertArgument(values.length===fragment.inputs.length,"event \
arguments/values mismatch","values",values),fragment.inputs.forEach((param,index)=>{let value=values[index];if(param.indexed)
if(param.type==="string")topics.push(id(value));else if(param.type==="bytes")topics.push(keccak2562(value));else{if(param.
baseType==="tuple"||param.baseType==="array")throw new Error("not implemented");topics.push(this.#abiCoder.encode([param.
type],[value]))}else dataTypes.push(param),dataValues.push(value)}),{data:this.#abiCoder.encode(dataTypes,dataValues),topics}}decodeEventLog(fragment,data,topics){
if(typeof fragment=="string"){let f2=this.getEvent(fragment);assertArgument(f2,"unknown event","eventFragment",fragment),
fragment=f2}if(topics!=null&&!fragment.anonymous){let eventTopic=fragment.topicHash;assertArgument(isHexString(topics[0],
32)&&topics[0].toLowerCase()===eventTopic,"fragment/topic mismatch","topics[0]",topics[0]),topics=topics.slice(1)}let indexed=[],
nonIndexed=[],dynamic=[];fragment.inputs.forEach((param,index)=>{param.indexed?param.type==="string"||param.type==="byte\
s"||param.baseType==="tuple"||param.baseType==="array"?(indexed.push(ParamType.from({type:"bytes32",name:param.name})),dynamic.
push(!0)):(indexed.push(param),dynamic.push(!1)):(nonIndexed.push(param),dynamic.push(!1))});let resultIndexed=topics!=null?
this.#abiCoder.decode(indexed,concat(topics)):null,resultNonIndexed=this.#abiCoder.decode(nonIndexed,data,!0),values=[],
keys=[],nonIndexedIndex=0,indexedIndex=0;return fragment.inputs.forEach((param,index)=>{let value=null;if(param.indexed)
if(resultIndexed==null)value=new Indexed(null);else if(dynamic[index])value=new Indexed(resultIndexed[indexedIndex++]);else
try{value=resultIndexed[indexedIndex++]}catch(error){value=error}else try{value=resultNonIndexed[nonIndexedIndex++]}catch(error){
value=error}values.push(value),keys.push(param.name||null)}),Result.fromItems(values,keys)}parseTransaction(tx){let data=getBytes(
tx.data,"tx.data"),value=getBigInt(tx.value!=null?tx.value:0,"tx.value"),fragment=this.getFunction(hexlify(data.slice(0,
4)));if(!fragment)return null;let args=this.#abiCoder.decode(fragment.inputs,data.slice(4));return new TransactionDescription(
fragment,fragment.selector,args,value)}parseCallResult(data){throw new Error("@TODO")}parseLog(log){let fragment=this.getEvent(
log.topics[0]);return!fragment||fragment.anonymous?null:new LogDescription(fragment,fragment.topicHash,this.decodeEventLog(
fragment,log.data,log.topics))}parseError(data){let hexData=hexlify(data),fragment=this.getError(dataSlice(hexData,0,4));
if(!fragment)return null;let args=this.#abiCoder.decode(fragment.inputs,dataSlice(hexData,4));return new ErrorDescription(
fragment,fragment.selector,args)}static from(value){return value instanceof _Interface?value:typeof value=="string"?new _Interface(
JSON.parse(value)):typeof value.formatJson=="function"?new _Interface(value.formatJson()):typeof value.format=="function"?
new _Interface(value.format("json")):new _Interface(value)}};var BN_09=BigInt(0);function getValue2(value){return value??null}__name(getValue2,"getValue");function toJson(value){return value==
null?null:value.toString()}__name(toJson,"toJson");var FeeData=class{static{__name(this,"FeeData")}gasPrice;maxFeePerGas;maxPriorityFeePerGas;constructor(gasPrice,maxFeePerGas,maxPriorityFeePerGas){
defineProperties(this,{gasPrice:getValue2(gasPrice),maxFeePerGas:getValue2(maxFeePerGas),maxPriorityFeePerGas:getValue2(
maxPriorityFeePerGas)})}toJSON(){let{gasPrice,maxFeePerGas,maxPriorityFeePerGas}=this;return{_type:"FeeData",gasPrice:toJson(
gasPrice),maxFeePerGas:toJson(maxFeePerGas),maxPriorityFeePerGas:toJson(maxPriorityFeePerGas)}}};function copyRequest(req){
let result={};req.to&&(result.to=req.to),req.from&&(result.from=req.from),req.data&&(result.data=hexlify(req.data));let bigIntKeys="\
chainId,gasLimit,gasPrice,maxFeePerBlobGas,maxFeePerGas,maxPriorityFeePerGas,value".split(/,/);for(let key of bigIntKeys)
!(key in req)||req[key]==null||(result[key]=getBigInt(req[key],`request.${key}`));let numberKeys="type,nonce".split(/,/);
for(let key of numberKeys)!(key in req)||req[key]==null||(result[key]=getNumber(req[key],`request.${key}`));return req.accessList&&
(result.accessList=accessListify(req.accessList)),req.authorizationList&&(result.authorizationList=req.authorizationList.
slice()),"blockTag"in req&&(result.blockTag=req.blockTag),"enableCcipRead"in req&&(result.enableCcipRead=!!req.enableCcipRead),
"customData"in req&&(result.customData=req.customData),"blobVersionedHashes"in req&&req.blobVersionedHashes&&(result.blobVersionedHashes=
req.blobVersionedHashes.slice()),"kzg"in req&&(result.kzg=req.kzg),"blobWrapperVersion"in req&&(result.blobWrapperVersion=
req.blobWrapperVersion),"blobs"in req&&req.blobs&&(result.blobs=req.blobs.map(b2=>isBytesLike(b2)?hexlify(b2):Object.assign(
{},b2))),result}__name(copyRequest,"copyRequest");var Block=class{static{__name(this,"Block")}provider;number;hash;timestamp;parentHash;parentBeaconBlockRoot;nonce;difficulty;gasLimit;gasUsed;stateRoot;receiptsRoot;transactionsRoot;blobGasUsed;excessBlobGas;miner;prevRandao;extraData;baseFeePerGas;#transactions;constructor(block,provider){
this.#transactions=block.transactions.map(tx=>typeof tx!="string"?new TransactionResponse(tx,provider):tx),defineProperties(
this,{provider,hash:getValue2(block.hash),number:block.number,timestamp:block.timestamp,parentHash:block.parentHash,parentBeaconBlockRoot:block.
parentBeaconBlockRoot,nonce:block.nonce,difficulty:block.difficulty,gasLimit:block.gasLimit,gasUsed:block.gasUsed,blobGasUsed:block.
blobGasUsed,excessBlobGas:block.excessBlobGas,miner:block.miner,prevRandao:getValue2(block.prevRandao),extraData:block.extraData,
baseFeePerGas:getValue2(block.baseFeePerGas),stateRoot:block.stateRoot,receiptsRoot:block.receiptsRoot,transactionsRoot:block.
transactionsRoot})}get transactions(){return this.#transactions.map(tx=>typeof tx=="string"?tx:tx.hash)}get prefetchedTransactions(){
let txs=this.#transactions.slice();return txs.length===0?[]:(assert(typeof txs[0]=="object","transactions were not prefe\
tched with block request","UNSUPPORTED_OPERATION",{operation:"transactionResponses()"}),txs)}toJSON(){let{baseFeePerGas,
difficulty,extraData,gasLimit,gasUsed,hash:hash3,miner,prevRandao,nonce,number:number2,parentHash,parentBeaconBlockRoot,
stateRoot,receiptsRoot,transactionsRoot,timestamp,transactions}=this;return{_type:"Block",baseFeePerGas:toJson(baseFeePerGas),
difficulty:toJson(difficulty),extraData,gasLimit:toJson(gasLimit),gasUsed:toJson(gasUsed),blobGasUsed:toJson(this.blobGasUsed),
excessBlobGas:toJson(this.excessBlobGas),hash:hash3,miner,prevRandao,nonce,number:number2,parentHash,timestamp,parentBeaconBlockRoot,
stateRoot,receiptsRoot,transactionsRoot,transactions}}[Symbol.iterator](){let index=0,txs=this.transactions;return{next:__name(
()=>index<this.length?{value:txs[index++],done:!1}:{value:void 0,done:!0},"next")}}get length(){return this.#transactions.
length}get date(){return this.timestamp==null?null:new Date(this.timestamp*1e3)}async getTransaction(indexOrHash){let tx;
if(typeof indexOrHash=="number")tx=this.#transactions[indexOrHash];else{let hash3=indexOrHash.toLowerCase();for(let v of this.#transactions)
if(typeof v=="string"){if(v!==hash3)continue;tx=v;break}else{if(v.hash!==hash3)continue;tx=v;break}}if(tx==null)throw new Error(
"no such tx");return typeof tx=="string"?await this.provider.getTransaction(tx):tx}getPrefetchedTransaction(indexOrHash){
let txs=this.prefetchedTransactions;if(typeof indexOrHash=="number")return txs[indexOrHash];indexOrHash=indexOrHash.toLowerCase();
for(let tx of txs)if(tx.hash===indexOrHash)return tx;assertArgument(!1,"no matching transaction","indexOrHash",indexOrHash)}isMined(){
return!!this.hash}isLondon(){return!!this.baseFeePerGas}orphanedEvent(){if(!this.isMined())throw new Error("");return createOrphanedBlockFilter(
this)}},Log=class{static{__name(this,"Log")}provider;transactionHash;blockHash;blockNumber;removed;address;data;topics;index;transactionIndex;constructor(log,provider){
this.provider=provider;let topics=Object.freeze(log.topics.slice());defineProperties(this,{transactionHash:log.transactionHash,
blockHash:log.blockHash,blockNumber:log.blockNumber,removed:log.removed,address:log.address,data:log.data,topics,index:log.
index,transactionIndex:log.transactionIndex})}toJSON(){let{address,blockHash,blockNumber,data,index,removed,topics,transactionHash,
transactionIndex}=this;return{_type:"log",address,blockHash,blockNumber,data,index,removed,topics,transactionHash,transactionIndex}}async getBlock(){
let block=await this.provider.getBlock(this.blockHash);return assert(!!block,"failed to find transaction","UNKNOWN_ERROR",
{}),block}async getTransaction(){let tx=await this.provider.getTransaction(this.transactionHash);return assert(!!tx,"fai\
led to find transaction","UNKNOWN_ERROR",{}),tx}async getTransactionReceipt(){let receipt=await this.provider.getTransactionReceipt(
this.transactionHash);return assert(!!receipt,"failed to find transaction receipt","UNKNOWN_ERROR",{}),receipt}removedEvent(){
return createRemovedLogFilter(this)}},TransactionReceipt=class{static{__name(this,"TransactionReceipt")}provider;to;from;contractAddress;hash;index;blockHash;blockNumber;logsBloom;gasUsed;blobGasUsed;cumulativeGasUsed;gasPrice;blobGasPrice;type;status;root;#logs;constructor(tx,provider){
this.#logs=Object.freeze(tx.logs.map(log=>new Log(log,provider)));let gasPrice=BN_09;tx.effectiveGasPrice!=null?gasPrice=
tx.effectiveGasPrice:tx.gasPrice!=null&&(gasPrice=tx.gasPrice),defineProperties(this,{provider,to:tx.to,from:tx.from,contractAddress:tx.
contractAddress,hash:tx.hash,index:tx.index,blockHash:tx.blockHash,blockNumber:tx.blockNumber,logsBloom:tx.logsBloom,gasUsed:tx.
gasUsed,cumulativeGasUsed:tx.cumulativeGasUsed,blobGasUsed:tx.blobGasUsed,gasPrice,blobGasPrice:tx.blobGasPrice,type:tx.
type,status:tx.status,root:tx.root})}get logs(){return this.#logs}toJSON(){let{to,from,contractAddress,hash:hash3,index,
blockHash,blockNumber,logsBloom,logs,status,root}=this;return{_type:"TransactionReceipt",blockHash,blockNumber,contractAddress,
cumulativeGasUsed:toJson(this.cumulativeGasUsed),from,gasPrice:toJson(this.gasPrice),blobGasUsed:toJson(this.blobGasUsed),
blobGasPrice:toJson(this.blobGasPrice),gasUsed:toJson(this.gasUsed),hash:hash3,index,logs,logsBloom,root,status,to}}get length(){
return this.logs.length}[Symbol.iterator](){let index=0;return{next:__name(()=>index<this.length?{value:this.logs[index++],
done:!1}:{value:void 0,done:!0},"next")}}get fee(){return this.gasUsed*this.gasPrice}async getBlock(){let block=await this.
provider.getBlock(this.blockHash);if(block==null)throw new Error("TODO");return block}async getTransaction(){let tx=await this.
provider.getTransaction(this.hash);if(tx==null)throw new Error("TODO");return tx}async getResult(){return await this.provider.
getTransactionResult(this.hash)}async confirmations(){return await this.provider.getBlockNumber()-this.blockNumber+1}removedEvent(){
return createRemovedTransactionFilter(this)}reorderedEvent(other){return assert(!other||other.isMined(),"unmined 'other'\
 transction cannot be orphaned","UNSUPPORTED_OPERATION",{operation:"reorderedEvent(other)"}),createReorderedTransactionFilter(
this,other)}},TransactionResponse=class _TransactionResponse{static{__name(this,"TransactionResponse")}provider;blockNumber;blockHash;index;hash;type;to;from;nonce;gasLimit;gasPrice;maxPriorityFeePerGas;maxFeePerGas;maxFeePerBlobGas;data;value;chainId;signature;accessList;blobVersionedHashes;authorizationList;#startBlock;constructor(tx,provider){
this.provider=provider,this.blockNumber=tx.blockNumber!=null?tx.blockNumber:null,this.blockHash=tx.blockHash!=null?tx.blockHash:
null,this.hash=tx.hash,this.index=tx.index,this.type=tx.type,this.from=tx.from,this.to=tx.to||null,this.gasLimit=tx.gasLimit,
this.nonce=tx.nonce,this.data=tx.data,this.value=tx.value,this.gasPrice=tx.gasPrice,this.maxPriorityFeePerGas=tx.maxPriorityFeePerGas!=
null?tx.maxPriorityFeePerGas:null,this.maxFeePerGas=tx.maxFeePerGas!=null?tx.maxFeePerGas:null,this.maxFeePerBlobGas=tx.
maxFeePerBlobGas!=null?tx.maxFeePerBlobGas:null,this.chainId=tx.chainId,this.signature=tx.signature,this.accessList=tx.accessList!=
null?tx.accessList:null,this.blobVersionedHashes=tx.blobVersionedHashes!=null?tx.blobVersionedHashes:null,this.authorizationList=
tx.authorizationList!=null?tx.authorizationList:null,this.#startBlock=-1}toJSON(){let{blockNumber,blockHash,index,hash:hash3,
type,to,from,nonce,data,signature,accessList,blobVersionedHashes}=this;return{_type:"TransactionResponse",accessList,blockNumber,
blockHash,blobVersionedHashes,chainId:toJson(this.chainId),data,from,gasLimit:toJson(this.gasLimit),gasPrice:toJson(this.
gasPrice),hash:hash3,maxFeePerGas:toJson(this.maxFeePerGas),maxPriorityFeePerGas:toJson(this.maxPriorityFeePerGas),maxFeePerBlobGas:toJson(
this.maxFeePerBlobGas),nonce,signature,to,index,type,value:toJson(this.value)}}async getBlock(){let blockNumber=this.blockNumber;
if(blockNumber==null){let tx=await this.getTransaction();tx&&(blockNumber=tx.blockNumber)}if(blockNumber==null)return null;
let block=this.provider.getBlock(blockNumber);if(block==null)throw new Error("TODO");return block}async getTransaction(){
return this.provider.getTransaction(this.hash)}async confirmations(){if(this.blockNumber==null){let{tx,blockNumber:blockNumber2}=await resolveProperties(
{tx:this.getTransaction(),blockNumber:this.provider.getBlockNumber()});return tx==null||tx.blockNumber==null?0:blockNumber2-
tx.blockNumber+1}return await this.provider.getBlockNumber()-this.blockNumber+1}async wait(_confirms,_timeout){let confirms=_confirms??
1,timeout=_timeout??0,startBlock=this.#startBlock,nextScan=-1,stopScanning=startBlock===-1,checkReplacement=__name(async()=>{
if(stopScanning)return null;let{blockNumber,nonce}=await resolveProperties({blockNumber:this.provider.getBlockNumber(),nonce:this.
provider.getTransactionCount(this.from)});if(nonce<this.nonce){startBlock=blockNumber;return}if(stopScanning)return null;
let mined=await this.getTransaction();if(!(mined&&mined.blockNumber!=null))for(nextScan===-1&&(nextScan=startBlock-3,nextScan<
this.#startBlock&&(nextScan=this.#startBlock));nextScan<=blockNumber;){if(stopScanning)return null;let block=await this.
provider.getBlock(nextScan,!0);if(block==null)return;for(let hash3 of block)if(hash3===this.hash)return;for(let i=0;i<block.
length;i++){let tx=await block.getTransaction(i);if(tx.from===this.from&&tx.nonce===this.nonce){if(stopScanning)return null;
let receipt2=await this.provider.getTransactionReceipt(tx.hash);if(receipt2==null||blockNumber-receipt2.blockNumber+1<confirms)
return;let reason="replaced";tx.data===this.data&&tx.to===this.to&&tx.value===this.value?reason="repriced":tx.data==="0x"&&
tx.from===tx.to&&tx.value===BN_09&&(reason="cancelled"),assert(!1,"transaction was replaced","TRANSACTION_REPLACED",{cancelled:reason===
"replaced"||reason==="cancelled",reason,replacement:tx.replaceableTransaction(startBlock),hash:tx.hash,receipt:receipt2})}}
nextScan++}},"checkReplacement"),checkReceipt=__name(receipt2=>{if(receipt2==null||receipt2.status!==0)return receipt2;assert(
!1,"transaction execution reverted","CALL_EXCEPTION",{action:"sendTransaction",data:null,reason:null,invocation:null,revert:null,
transaction:{to:receipt2.to,from:receipt2.from,data:""},receipt:receipt2})},"checkReceipt"),receipt=await this.provider.
getTransactionReceipt(this.hash);if(confirms===0)return checkReceipt(receipt);if(receipt){if(confirms===1||await receipt.
confirmations()>=confirms)return checkReceipt(receipt)}else if(await checkReplacement(),confirms===0)return null;return await new Promise(
(resolve,reject)=>{let cancellers=[],cancel=__name(()=>{cancellers.forEach(c=>c())},"cancel");if(cancellers.push(()=>{stopScanning=
!0}),timeout>0){let timer=setTimeout(()=>{cancel(),reject(makeError("wait for transaction timeout","TIMEOUT"))},timeout);
cancellers.push(()=>{clearTimeout(timer)})}let txListener=__name(async receipt2=>{if(await receipt2.confirmations()>=confirms){
cancel();try{resolve(checkReceipt(receipt2))}catch(error){reject(error)}}},"txListener");if(cancellers.push(()=>{this.provider.
off(this.hash,txListener)}),this.provider.on(this.hash,txListener),startBlock>=0){let replaceListener=__name(async()=>{try{
await checkReplacement()}catch(error){if(isError(error,"TRANSACTION_REPLACED")){cancel(),reject(error);return}}stopScanning||
this.provider.once("block",replaceListener)},"replaceListener");cancellers.push(()=>{this.provider.off("block",replaceListener)}),
this.provider.once("block",replaceListener)}})}isMined(){return this.blockHash!=null}isLegacy(){return this.type===0}isBerlin(){
return this.type===1}isLondon(){return this.type===2}isCancun(){return this.type===3}removedEvent(){return assert(this.isMined(),
"unmined transaction canot be orphaned","UNSUPPORTED_OPERATION",{operation:"removeEvent()"}),createRemovedTransactionFilter(
this)}reorderedEvent(other){return assert(this.isMined(),"unmined transaction canot be orphaned","UNSUPPORTED_OPERATION",
{operation:"removeEvent()"}),assert(!other||other.isMined(),"unmined 'other' transaction canot be orphaned","UNSUPPORTED\
_OPERATION",{operation:"removeEvent()"}),createReorderedTransactionFilter(this,other)}replaceableTransaction(startBlock){
assertArgument(Number.isInteger(startBlock)&&startBlock>=0,"invalid startBlock","startBlock",startBlock);let tx=new _TransactionResponse(
this,this.provider);return tx.#startBlock=startBlock,tx}};function createOrphanedBlockFilter(block){return{orphan:"drop-\
block",hash:block.hash,number:block.number}}__name(createOrphanedBlockFilter,"createOrphanedBlockFilter");function createReorderedTransactionFilter(tx,other){
return{orphan:"reorder-transaction",tx,other}}__name(createReorderedTransactionFilter,"createReorderedTransactionFilter");
function createRemovedTransactionFilter(tx){return{orphan:"drop-transaction",tx}}__name(createRemovedTransactionFilter,"\
createRemovedTransactionFilter");function createRemovedLogFilter(log){return{orphan:"drop-log",log:{transactionHash:log.
transactionHash,blockHash:log.blockHash,blockNumber:log.blockNumber,address:log.address,data:log.data,topics:Object.freeze(
log.topics.slice()),index:log.index}}}__name(createRemovedLogFilter,"createRemovedLogFilter");var EventLog=class extends Log{static{__name(this,"EventLog")}interface;fragment;args;constructor(log,iface,fragment){super(
log,log.provider);let args=iface.decodeEventLog(fragment,log.data,log.topics);defineProperties(this,{args,fragment,interface:iface})}get eventName(){
return this.fragment.name}get eventSignature(){return this.fragment.format()}},UndecodedEventLog=class extends Log{static{
__name(this,"UndecodedEventLog")}error;constructor(log,error){super(log,log.provider),defineProperties(this,{error})}},ContractTransactionReceipt=class extends TransactionReceipt{static{
__name(this,"ContractTransactionReceipt")}#iface;constructor(iface,provider,tx){super(tx,provider),this.#iface=iface}get logs(){
return super.logs.map(log=>{let fragment=log.topics.length?this.#iface.getEvent(log.topics[0]):null;if(fragment)try{return new EventLog(
log,this.#iface,fragment)}catch(error){return new UndecodedEventLog(log,error)}return log})}},ContractTransactionResponse=class extends TransactionResponse{static{
__name(this,"ContractTransactionResponse")}#iface;constructor(iface,provider,tx){super(tx,provider),this.#iface=iface}async wait(confirms,timeout){
let receipt=await super.wait(confirms,timeout);return receipt==null?null:new ContractTransactionReceipt(this.#iface,this.
provider,receipt)}},ContractUnknownEventPayload=class extends EventPayload{static{__name(this,"ContractUnknownEventPaylo\
ad")}log;constructor(contract,listener,filter,log){super(contract,listener,filter),defineProperties(this,{log})}async getBlock(){
return await this.log.getBlock()}async getTransaction(){return await this.log.getTransaction()}async getTransactionReceipt(){
return await this.log.getTransactionReceipt()}},ContractEventPayload=class extends ContractUnknownEventPayload{static{__name(
this,"ContractEventPayload")}constructor(contract,listener,filter,fragment,_log){super(contract,listener,filter,new EventLog(
_log,contract.interface,fragment));let args=contract.interface.decodeEventLog(fragment,this.log.data,this.log.topics);defineProperties(
this,{args,fragment})}get eventName(){return this.fragment.name}get eventSignature(){return this.fragment.format()}};var BN_010=BigInt(0);function canCall(value){return value&&typeof value.call=="function"}__name(canCall,"canCall");function canEstimate(value){
return value&&typeof value.estimateGas=="function"}__name(canEstimate,"canEstimate");function canResolve(value){return value&&
typeof value.resolveName=="function"}__name(canResolve,"canResolve");function canSend(value){return value&&typeof value.
sendTransaction=="function"}__name(canSend,"canSend");function getResolver(value){if(value!=null){if(canResolve(value))return value;
if(value.provider)return value.provider}}__name(getResolver,"getResolver");var PreparedTopicFilter=class{static{__name(this,
"PreparedTopicFilter")}#filter;fragment;constructor(contract,fragment,args){if(defineProperties(this,{fragment}),fragment.
inputs.length<args.length)throw new Error("too many arguments");let runner=getRunner(contract.runner,"resolveName"),resolver=canResolve(
runner)?runner:null;this.#filter=(async function(){let resolvedArgs=await Promise.all(fragment.inputs.map((param,index)=>args[index]==
null?null:param.walkAsync(args[index],(type,value)=>type==="address"?Array.isArray(value)?Promise.all(value.map(v=>resolveAddress(
v,resolver))):resolveAddress(value,resolver):value)));return contract.interface.encodeFilterTopics(fragment,resolvedArgs)})()}getTopicFilter(){
return this.#filter}};function getRunner(value,feature){return value==null?null:typeof value[feature]=="function"?value:
value.provider&&typeof value.provider[feature]=="function"?value.provider:null}__name(getRunner,"getRunner");function getProvider(value){
return value==null?null:value.provider||null}__name(getProvider,"getProvider");async function copyOverrides(arg,allowed){
let _overrides=Typed.dereference(arg,"overrides");assertArgument(typeof _overrides=="object","invalid overrides paramete\
r","overrides",arg);let overrides=copyRequest(_overrides);return assertArgument(overrides.to==null||(allowed||[]).indexOf(
"to")>=0,"cannot override to","overrides.to",overrides.to),assertArgument(overrides.data==null||(allowed||[]).indexOf("d\
ata")>=0,"cannot override data","overrides.data",overrides.data),overrides.from&&(overrides.from=overrides.from),overrides}
__name(copyOverrides,"copyOverrides");async function resolveArgs(_runner,inputs,args){let runner=getRunner(_runner,"reso\
lveName"),resolver=canResolve(runner)?runner:null;return await Promise.all(inputs.map((param,index)=>param.walkAsync(args[index],
(type,value)=>(value=Typed.dereference(value,type),type==="address"?resolveAddress(value,resolver):value))))}__name(resolveArgs,
"resolveArgs");function buildWrappedFallback(contract){let populateTransaction=__name(async function(overrides){let tx=await copyOverrides(
overrides,["data"]);tx.to=await contract.getAddress(),tx.from&&(tx.from=await resolveAddress(tx.from,getResolver(contract.
runner)));let iface=contract.interface,noValue=getBigInt(tx.value||BN_010,"overrides.value")===BN_010,noData=(tx.data||"\
0x")==="0x";iface.fallback&&!iface.fallback.payable&&iface.receive&&!noData&&!noValue&&assertArgument(!1,"cannot send da\
ta to receive or send value to non-payable fallback","overrides",overrides),assertArgument(iface.fallback||noData,"canno\
t send data to receive-only contract","overrides.data",tx.data);let payable=iface.receive||iface.fallback&&iface.fallback.
payable;return assertArgument(payable||noValue,"cannot send value to non-payable fallback","overrides.value",tx.value),assertArgument(
iface.fallback||noData,"cannot send data to receive-only contract","overrides.data",tx.data),tx},"populateTransaction"),
staticCall=__name(async function(overrides){let runner=getRunner(contract.runner,"call");assert(canCall(runner),"contrac\
t runner does not support calling","UNSUPPORTED_OPERATION",{operation:"call"});let tx=await populateTransaction(overrides);
try{return await runner.call(tx)}catch(error){throw isCallException(error)&&error.data?contract.interface.makeError(error.
data,tx):error}},"staticCall"),send=__name(async function(overrides){let runner=contract.runner;assert(canSend(runner),"\
contract runner does not support sending transactions","UNSUPPORTED_OPERATION",{operation:"sendTransaction"});let tx=await runner.
sendTransaction(await populateTransaction(overrides)),provider=getProvider(contract.runner);return new ContractTransactionResponse(
contract.interface,provider,tx)},"send"),estimateGas=__name(async function(overrides){let runner=getRunner(contract.runner,
"estimateGas");return assert(canEstimate(runner),"contract runner does not support gas estimation","UNSUPPORTED_OPERATIO\
N",{operation:"estimateGas"}),await runner.estimateGas(await populateTransaction(overrides))},"estimateGas"),method=__name(
async overrides=>await send(overrides),"method");return defineProperties(method,{_contract:contract,estimateGas,populateTransaction,
send,staticCall}),method}__name(buildWrappedFallback,"buildWrappedFallback");function buildWrappedMethod(contract,key){let getFragment=__name(
function(...args){let fragment=contract.interface.getFunction(key,args);return assert(fragment,"no matching fragment","U\
NSUPPORTED_OPERATION",{operation:"fragment",info:{key,args}}),fragment},"getFragment"),populateTransaction=__name(async function(...args){
let fragment=getFragment(...args),overrides={};if(fragment.inputs.length+1===args.length&&(overrides=await copyOverrides(
args.pop()),overrides.from&&(overrides.from=await resolveAddress(overrides.from,getResolver(contract.runner)))),fragment.
inputs.length!==args.length)throw new Error("internal error: fragment inputs doesn't match arguments; should not happen");
let resolvedArgs=await resolveArgs(contract.runner,fragment.inputs,args);return Object.assign({},overrides,await resolveProperties(
{to:contract.getAddress(),data:contract.interface.encodeFunctionData(fragment,resolvedArgs)}))},"populateTransaction"),staticCall=__name(
async function(...args){let result=await staticCallResult(...args);return result.length===1?result[0]:result},"staticCal\
l"),send=__name(async function(...args){let runner=contract.runner;assert(canSend(runner),"contract runner does not supp\
ort sending transactions","UNSUPPORTED_OPERATION",{operation:"sendTransaction"});let tx=await runner.sendTransaction(await populateTransaction(
...args)),provider=getProvider(contract.runner);return new ContractTransactionResponse(contract.interface,provider,tx)},
"send"),estimateGas=__name(async function(...args){let runner=getRunner(contract.runner,"estimateGas");return assert(canEstimate(
runner),"contract runner does not support gas estimation","UNSUPPORTED_OPERATION",{operation:"estimateGas"}),await runner.
estimateGas(await populateTransaction(...args))},"estimateGas"),staticCallResult=__name(async function(...args){let runner=getRunner(
contract.runner,"call");assert(canCall(runner),"contract runner does not support calling","UNSUPPORTED_OPERATION",{operation:"\
call"});let tx=await populateTransaction(...args),result="0x";try{result=await runner.call(tx)}catch(error){throw isCallException(
error)&&error.data?contract.interface.makeError(error.data,tx):error}let fragment=getFragment(...args);return contract.interface.
decodeFunctionResult(fragment,result)},"staticCallResult"),method=__name(async(...args)=>getFragment(...args).constant?await staticCall(
...args):await send(...args),"method");return defineProperties(method,{name:contract.interface.getFunctionName(key),_contract:contract,
_key:key,getFragment,estimateGas,populateTransaction,send,staticCall,staticCallResult}),Object.defineProperty(method,"fr\
agment",{configurable:!1,enumerable:!0,get:__name(()=>{let fragment=contract.interface.getFunction(key);return assert(fragment,
"no matching fragment","UNSUPPORTED_OPERATION",{operation:"fragment",info:{key}}),fragment},"get")}),method}__name(buildWrappedMethod,
"buildWrappedMethod");function buildWrappedEvent(contract,key){let getFragment=__name(function(...args){let fragment=contract.
interface.getEvent(key,args);return assert(fragment,"no matching fragment","UNSUPPORTED_OPERATION",{operation:"fragment",
info:{key,args}}),fragment},"getFragment"),method=__name(function(...args){return new PreparedTopicFilter(contract,getFragment(
...args),args)},"method");return defineProperties(method,{name:contract.interface.getEventName(key),_contract:contract,_key:key,
getFragment}),Object.defineProperty(method,"fragment",{configurable:!1,enumerable:!0,get:__name(()=>{let fragment=contract.
interface.getEvent(key);return assert(fragment,"no matching fragment","UNSUPPORTED_OPERATION",{operation:"fragment",info:{
key}}),fragment},"get")}),method}__name(buildWrappedEvent,"buildWrappedEvent");var internal2=Symbol.for("_ethersInternal\
_contract"),internalValues=new WeakMap;function setInternal(contract,values){internalValues.set(contract[internal2],values)}
__name(setInternal,"setInternal");function getInternal(contract){return internalValues.get(contract[internal2])}__name(getInternal,
"getInternal");function isDeferred(value){return value&&typeof value=="object"&&"getTopicFilter"in value&&typeof value.getTopicFilter==
"function"&&value.fragment}__name(isDeferred,"isDeferred");async function getSubInfo(contract,event){let topics,fragment=null;
if(Array.isArray(event)){let topicHashify=__name(function(name){if(isHexString(name,32))return name;let fragment2=contract.
interface.getEvent(name);return assertArgument(fragment2,"unknown fragment","name",name),fragment2.topicHash},"topicHash\
ify");topics=event.map(e=>e==null?null:Array.isArray(e)?e.map(topicHashify):topicHashify(e))}else event==="*"?topics=[null]:
typeof event=="string"?isHexString(event,32)?topics=[event]:(fragment=contract.interface.getEvent(event),assertArgument(
fragment,"unknown fragment","event",event),topics=[fragment.topicHash]):isDeferred(event)?topics=await event.getTopicFilter():
"fragment"in event?(fragment=event.fragment,topics=[fragment.topicHash]):assertArgument(!1,"unknown event name","event",
event);topics=topics.map(t=>{if(t==null)return null;if(Array.isArray(t)){let items=Array.from(new Set(t.map(t2=>t2.toLowerCase())).
values());return items.length===1?items[0]:(items.sort(),items)}return t.toLowerCase()});let tag=topics.map(t=>t==null?"\
null":Array.isArray(t)?t.join("|"):t).join("&");return{fragment,tag,topics}}__name(getSubInfo,"getSubInfo");async function hasSub(contract,event){
let{subs}=getInternal(contract);return subs.get((await getSubInfo(contract,event)).tag)||null}__name(hasSub,"hasSub");async function getSub(contract,operation,event){
let provider=getProvider(contract.runner);assert(provider,"contract runner does not support subscribing","UNSUPPORTED_OP\
ERATION",{operation});let{fragment,tag,topics}=await getSubInfo(contract,event),{addr,subs}=getInternal(contract),sub=subs.
get(tag);if(!sub){let filter={address:addr||contract,topics},listener=__name(log=>{let foundFragment=fragment;if(foundFragment==
null)try{foundFragment=contract.interface.getEvent(log.topics[0])}catch{}if(foundFragment){let _foundFragment=foundFragment,
args=fragment?contract.interface.decodeEventLog(fragment,log.data,log.topics):[];emit(contract,event,args,listener2=>new ContractEventPayload(
contract,listener2,event,_foundFragment,log))}else emit(contract,event,[],listener2=>new ContractUnknownEventPayload(contract,
listener2,event,log))},"listener"),starting=[];sub={tag,listeners:[],start:__name(()=>{starting.length||starting.push(provider.
on(filter,listener))},"start"),stop:__name(async()=>{if(starting.length==0)return;let started=starting;starting=[],await Promise.
all(started),provider.off(filter,listener)},"stop")},subs.set(tag,sub)}return sub}__name(getSub,"getSub");var lastEmit=Promise.
resolve();async function _emit(contract,event,args,payloadFunc){await lastEmit;let sub=await hasSub(contract,event);if(!sub)
return!1;let count2=sub.listeners.length;return sub.listeners=sub.listeners.filter(({listener,once})=>{let passArgs=Array.
from(args);payloadFunc&&passArgs.push(payloadFunc(once?null:listener));try{listener.call(contract,...passArgs)}catch{}return!once}),
sub.listeners.length===0&&(sub.stop(),getInternal(contract).subs.delete(sub.tag)),count2>0}__name(_emit,"_emit");async function emit(contract,event,args,payloadFunc){
try{await lastEmit}catch{}let resultPromise=_emit(contract,event,args,payloadFunc);return lastEmit=resultPromise,await resultPromise}
__name(emit,"emit");var passProperties2=["then"],BaseContract=class _BaseContract{static{__name(this,"BaseContract")}target;interface;runner;filters;[internal2];fallback;constructor(target,abi,runner,_deployTx){
assertArgument(typeof target=="string"||isAddressable(target),"invalid value for Contract target","target",target),runner==
null&&(runner=null);let iface=Interface.from(abi);defineProperties(this,{target,runner,interface:iface}),Object.defineProperty(
this,internal2,{value:{}});let addrPromise,addr=null,deployTx=null;if(_deployTx){let provider=getProvider(runner);deployTx=
new ContractTransactionResponse(this.interface,provider,_deployTx)}let subs=new Map;if(typeof target=="string")if(isHexString(
target))addr=target,addrPromise=Promise.resolve(target);else{let resolver=getRunner(runner,"resolveName");if(!canResolve(
resolver))throw makeError("contract runner does not support name resolution","UNSUPPORTED_OPERATION",{operation:"resolve\
Name"});addrPromise=resolver.resolveName(target).then(addr2=>{if(addr2==null)throw makeError("an ENS name used for a con\
tract target must be correctly configured","UNCONFIGURED_NAME",{value:target});return getInternal(this).addr=addr2,addr2})}else
addrPromise=target.getAddress().then(addr2=>{if(addr2==null)throw new Error("TODO");return getInternal(this).addr=addr2,
addr2});setInternal(this,{addrPromise,addr,deployTx,subs});let filters=new Proxy({},{get:__name((target2,prop,receiver)=>{
if(typeof prop=="symbol"||passProperties2.indexOf(prop)>=0)return Reflect.get(target2,prop,receiver);try{return this.getEvent(
prop)}catch(error){if(!isError(error,"INVALID_ARGUMENT")||error.argument!=="key")throw error}},"get"),has:__name((target2,prop)=>passProperties2.
indexOf(prop)>=0?Reflect.has(target2,prop):Reflect.has(target2,prop)||this.interface.hasEvent(String(prop)),"has")});return defineProperties(
this,{filters}),defineProperties(this,{fallback:iface.receive||iface.fallback?buildWrappedFallback(this):null}),new Proxy(
this,{get:__name((target2,prop,receiver)=>{if(typeof prop=="symbol"||prop in target2||passProperties2.indexOf(prop)>=0)return Reflect.
get(target2,prop,receiver);try{return target2.getFunction(prop)}catch(error){if(!isError(error,"INVALID_ARGUMENT")||error.
argument!=="key")throw error}},"get"),has:__name((target2,prop)=>typeof prop=="symbol"||prop in target2||passProperties2.
indexOf(prop)>=0?Reflect.has(target2,prop):target2.interface.hasFunction(prop),"has")})}connect(runner){return new _BaseContract(
this.target,this.interface,runner)}attach(target){return new _BaseContract(target,this.interface,this.runner)}async getAddress(){
return await getInternal(this).addrPromise}async getDeployedCode(){let provider=getProvider(this.runner);assert(provider,
"runner does not support .provider","UNSUPPORTED_OPERATION",{operation:"getDeployedCode"});let code=await provider.getCode(
await this.getAddress());return code==="0x"?null:code}async waitForDeployment(){let deployTx=this.deploymentTransaction();
if(deployTx)return await deployTx.wait(),this;if(await this.getDeployedCode()!=null)return this;let provider=getProvider(
this.runner);return assert(provider!=null,"contract runner does not support .provider","UNSUPPORTED_OPERATION",{operation:"\
waitForDeployment"}),new Promise((resolve,reject)=>{let checkCode=__name(async()=>{try{if(await this.getDeployedCode()!=
null)return resolve(this);provider.once("block",checkCode)}catch(error){reject(error)}},"checkCode");checkCode()})}deploymentTransaction(){
return getInternal(this).deployTx}getFunction(key){return typeof key!="string"&&(key=key.format()),buildWrappedMethod(this,
key)}getEvent(key){return typeof key!="string"&&(key=key.format()),buildWrappedEvent(this,key)}async queryTransaction(hash3){
throw new Error("@TODO")}async queryFilter(event,fromBlock,toBlock){fromBlock==null&&(fromBlock=0),toBlock==null&&(toBlock=
"latest");let{addr,addrPromise}=getInternal(this),address=addr||await addrPromise,{fragment,topics}=await getSubInfo(this,
event),filter={address,topics,fromBlock,toBlock},provider=getProvider(this.runner);return assert(provider,"contract runn\
er does not have a provider","UNSUPPORTED_OPERATION",{operation:"queryFilter"}),(await provider.getLogs(filter)).map(log=>{
let foundFragment=fragment;if(foundFragment==null)try{foundFragment=this.interface.getEvent(log.topics[0])}catch{}if(foundFragment)
try{return new EventLog(log,this.interface,foundFragment)}catch(error){return new UndecodedEventLog(log,error)}return new Log(
log,provider)})}async on(event,listener){let sub=await getSub(this,"on",event);return sub.listeners.push({listener,once:!1}),
sub.start(),this}async once(event,listener){let sub=await getSub(this,"once",event);return sub.listeners.push({listener,
once:!0}),sub.start(),this}async emit(event,...args){return await emit(this,event,args,null)}async listenerCount(event){
if(event){let sub=await hasSub(this,event);return sub?sub.listeners.length:0}let{subs}=getInternal(this),total=0;for(let{
listeners}of subs.values())total+=listeners.length;return total}async listeners(event){if(event){let sub=await hasSub(this,
event);return sub?sub.listeners.map(({listener})=>listener):[]}let{subs}=getInternal(this),result=[];for(let{listeners}of subs.
values())result=result.concat(listeners.map(({listener})=>listener));return result}async off(event,listener){let sub=await hasSub(
this,event);if(!sub)return this;if(listener){let index=sub.listeners.map(({listener:listener2})=>listener2).indexOf(listener);
index>=0&&sub.listeners.splice(index,1)}return(listener==null||sub.listeners.length===0)&&(sub.stop(),getInternal(this).
subs.delete(sub.tag)),this}async removeAllListeners(event){if(event){let sub=await hasSub(this,event);if(!sub)return this;
sub.stop(),getInternal(this).subs.delete(sub.tag)}else{let{subs}=getInternal(this);for(let{tag,stop}of subs.values())stop(),
subs.delete(tag)}return this}async addListener(event,listener){return await this.on(event,listener)}async removeListener(event,listener){
return await this.off(event,listener)}static buildClass(abi){class CustomContract extends _BaseContract{static{__name(this,
"CustomContract")}constructor(address,runner=null){super(address,abi,runner)}}return CustomContract}static from(target,abi,runner){
return runner==null&&(runner=null),new this(target,abi,runner)}};function _ContractBase(){return BaseContract}__name(_ContractBase,
"_ContractBase");var Contract=class extends _ContractBase(){static{__name(this,"Contract")}};var ContractFactory=class _ContractFactory{static{__name(this,"ContractFactory")}interface;bytecode;runner;constructor(abi,bytecode,runner){
let iface=Interface.from(abi);bytecode instanceof Uint8Array?bytecode=hexlify(getBytes(bytecode)):(typeof bytecode=="obj\
ect"&&(bytecode=bytecode.object),bytecode.startsWith("0x")||(bytecode="0x"+bytecode),bytecode=hexlify(getBytes(bytecode))),
defineProperties(this,{bytecode,interface:iface,runner:runner||null})}attach(target){return new BaseContract(target,this.
interface,this.runner)}async getDeployTransaction(...args){let overrides={},fragment=this.interface.deploy;if(fragment.inputs.
length+1===args.length&&(overrides=await copyOverrides(args.pop())),fragment.inputs.length!==args.length)throw new Error(
"incorrect number of arguments to constructor");let resolvedArgs=await resolveArgs(this.runner,fragment.inputs,args),data=concat(
[this.bytecode,this.interface.encodeDeploy(resolvedArgs)]);return Object.assign({},overrides,{data})}async deploy(...args){
let tx=await this.getDeployTransaction(...args);assert(this.runner&&typeof this.runner.sendTransaction=="function","fact\
ory runner does not support sending transactions","UNSUPPORTED_OPERATION",{operation:"sendTransaction"});let sentTx=await this.
runner.sendTransaction(tx),address=getCreateAddress(sentTx);return new BaseContract(address,this.interface,this.runner,sentTx)}connect(runner){
return new _ContractFactory(this.interface,this.bytecode,runner)}static fromSolidity(output2,runner){assertArgument(output2!=
null,"bad compiler output","output",output2),typeof output2=="string"&&(output2=JSON.parse(output2));let abi=output2.abi,
bytecode="";return output2.bytecode?bytecode=output2.bytecode:output2.evm&&output2.evm.bytecode&&(bytecode=output2.evm.bytecode),
new this(abi,bytecode,runner)}};var BN_60=BigInt(60);function getIpfsLink(link){return link.match(/^ipfs:\/\/ipfs\//i)?link=link.substring(12):link.match(
/^ipfs:\/\//i)?link=link.substring(7):assertArgument(!1,"unsupported IPFS format","link",link),`https://gateway.ipfs.io/\
ipfs/${link}`}__name(getIpfsLink,"getIpfsLink");var MulticoinProviderPlugin=class{static{__name(this,"MulticoinProviderP\
lugin")}name;constructor(name){defineProperties(this,{name})}connect(provider){return this}supportsCoinType(coinType){return!1}async encodeAddress(coinType,address){
throw new Error("unsupported coin")}async decodeAddress(coinType,data){throw new Error("unsupported coin")}};var matcherIpfs=new RegExp("^(ipfs)://(.*)$","i"),matchers=[new RegExp("^(https)://(.*)$","i"),new RegExp("^(data):(.*)$",
"i"),matcherIpfs,new RegExp("^eip155:[0-9]+/(erc[0-9]+):(.*)$","i")];function isEvmCoinType(coinType){return coinType===
BN_60||coinType>=2147483648&&coinType<=4294967295}__name(isEvmCoinType,"isEvmCoinType");var EnsResolver=class _EnsResolver{static{
__name(this,"EnsResolver")}provider;address;name;#supports2544;#resolver;constructor(provider,address,name,supportsWildcard){
defineProperties(this,{provider,address,name}),this.#supports2544=supportsWildcard!=null?Promise.resolve(supportsWildcard):
null,this.#resolver=new Contract(address,["function supportsInterface(bytes4) view returns (bool)","function resolve(byt\
es, bytes) view returns (bytes)","function addr(bytes32) view returns (address)","function addr(bytes32, uint) view retu\
rns (bytes)","function text(bytes32, string) view returns (string)","function contenthash(bytes32) view returns (bytes)",
"function name(bytes32) view returns (string)"],provider)}async supportsWildcard(){return this.#supports2544==null&&(this.#supports2544=
(async()=>{try{return await this.#resolver.supportsInterface("0x9061b923")}catch(error){if(isError(error,"CALL_EXCEPTION"))
return!1;throw this.#supports2544=null,error}})()),await this.#supports2544}async#fetch(funcName,params){params=(params||
[]).slice();let iface=this.#resolver.interface;params.unshift(namehash(this.name));let fragment=null;await this.supportsWildcard()&&
(fragment=iface.getFunction(funcName),assert(fragment,"missing fragment","UNKNOWN_ERROR",{info:{funcName}}),params=[dnsEncode(
this.name,255),iface.encodeFunctionData(fragment,params)],funcName="resolve(bytes,bytes)"),params.push({enableCcipRead:!0});
try{let result=await this.#resolver[funcName](...params);return fragment?iface.decodeFunctionResult(fragment,result)[0]:
result}catch(error){if(!isError(error,"CALL_EXCEPTION"))throw error}return null}async getAddress(_coinType){let coinType=_coinType==
null?BN_60:getBigInt(_coinType);if(coinType===BN_60)try{let result=await this.#fetch("addr(bytes32)");return result==null||
result===ZeroAddress?null:result}catch(error){if(isError(error,"CALL_EXCEPTION"))return null;throw error}if(isEvmCoinType(
coinType)){let data2=await this.#fetch("addr(bytes32,uint)",[coinType]);return isHexString(data2,20)?getAddress(data2):null}
if(coinType>=0&&coinType<2147483648){let ethCoinType=coinType+BigInt(2147483648),data2=await this.#fetch("addr(bytes32,u\
int)",[ethCoinType]);if(isHexString(data2,20))return getAddress(data2)}let coinPlugin=null;for(let plugin of this.provider.
plugins)if(plugin instanceof MulticoinProviderPlugin&&coinType<=2147483648&&plugin.supportsCoinType(Number(coinType))){coinPlugin=
plugin;break}if(coinPlugin==null)return null;let data=await this.#fetch("addr(bytes32,uint)",[coinType]);if(data==null||
data==="0x")return null;if(coinType<2147483648){let address=await coinPlugin.decodeAddress(Number(coinType),data);if(address!=
null)return address}assert(!1,"invalid coin data","UNSUPPORTED_OPERATION",{operation:`getAddress(${coinType})`,info:{coinType,
data}})}async getText(key){let data=await this.#fetch("text(bytes32,string)",[key]);return data==null||data==="0x"?null:
data}async getContentHash(){let data=await this.#fetch("contenthash(bytes32)");if(data==null||data==="0x")return null;let ipfs=data.
match(/^0x(e3010170|e5010172)(([0-9a-f][0-9a-f])([0-9a-f][0-9a-f])([0-9a-f]*))$/);if(ipfs){let scheme=ipfs[1]==="e301017\
0"?"ipfs":"ipns",length=parseInt(ipfs[4],16);if(ipfs[5].length===length*2)return`${scheme}://${encodeBase58("0x"+ipfs[2])}`}
let swarm=data.match(/^0xe40101fa011b20([0-9a-f]*)$/);if(swarm&&swarm[1].length===64)return`bzz://${swarm[1]}`;assert(!1,
"invalid or unsupported content hash data","UNSUPPORTED_OPERATION",{operation:"getContentHash()",info:{data}})}async getName(){
return await this.#fetch("name(bytes32)")}async getAvatar(){return(await this._getAvatar()).url}async _getAvatar(){let linkage=[
{type:"name",value:this.name}];try{let avatar=await this.getText("avatar");if(avatar==null)return linkage.push({type:"!a\
vatar",value:""}),{url:null,linkage};linkage.push({type:"avatar",value:avatar});for(let i=0;i<matchers.length;i++){let match=avatar.
match(matchers[i]);if(match==null)continue;let scheme=match[1].toLowerCase();switch(scheme){case"https":case"data":return linkage.
push({type:"url",value:avatar}),{linkage,url:avatar};case"ipfs":{let url=getIpfsLink(avatar);return linkage.push({type:"\
ipfs",value:avatar}),linkage.push({type:"url",value:url}),{linkage,url}}case"erc721":case"erc1155":{let selector=scheme===
"erc721"?"tokenURI(uint256)":"uri(uint256)";linkage.push({type:scheme,value:avatar});let owner=await this.getAddress();if(owner==
null)return linkage.push({type:"!owner",value:""}),{url:null,linkage};let comps=(match[2]||"").split("/");if(comps.length!==
2)return linkage.push({type:`!${scheme}caip`,value:match[2]||""}),{url:null,linkage};let tokenId=comps[1],contract=new Contract(
comps[0],["function tokenURI(uint) view returns (string)","function ownerOf(uint) view returns (address)","function uri(\
uint) view returns (string)","function balanceOf(address, uint256) view returns (uint)"],this.provider);if(scheme==="erc\
721"){let tokenOwner=await contract.ownerOf(tokenId);if(owner!==tokenOwner)return linkage.push({type:"!owner",value:tokenOwner}),
{url:null,linkage};linkage.push({type:"owner",value:tokenOwner})}else if(scheme==="erc1155"){let balance=await contract.
balanceOf(owner,tokenId);if(!balance)return linkage.push({type:"!balance",value:"0"}),{url:null,linkage};linkage.push({type:"\
balance",value:balance.toString()})}let metadataUrl=await contract[selector](tokenId);if(metadataUrl==null||metadataUrl===
"0x")return linkage.push({type:"!metadata-url",value:""}),{url:null,linkage};linkage.push({type:"metadata-url-base",value:metadataUrl}),
scheme==="erc1155"&&(metadataUrl=metadataUrl.replace("{id}",toBeHex(tokenId,32).substring(2)),linkage.push({type:"metada\
ta-url-expanded",value:metadataUrl})),metadataUrl.match(/^ipfs:/i)&&(metadataUrl=getIpfsLink(metadataUrl)),linkage.push(
{type:"metadata-url",value:metadataUrl});let metadata={},response=await new FetchRequest(metadataUrl).send();response.assertOk();
try{metadata=response.bodyJson}catch{try{linkage.push({type:"!metadata",value:response.bodyText})}catch{let bytes2=response.
body;return bytes2&&linkage.push({type:"!metadata",value:hexlify(bytes2)}),{url:null,linkage}}return{url:null,linkage}}if(!metadata)
return linkage.push({type:"!metadata",value:""}),{url:null,linkage};linkage.push({type:"metadata",value:JSON.stringify(metadata)});
let imageUrl=metadata.image;if(typeof imageUrl!="string")return linkage.push({type:"!imageUrl",value:""}),{url:null,linkage};
if(!imageUrl.match(/^(https:\/\/|data:)/i)){if(imageUrl.match(matcherIpfs)==null)return linkage.push({type:"!imageUrl-ip\
fs",value:imageUrl}),{url:null,linkage};linkage.push({type:"imageUrl-ipfs",value:imageUrl}),imageUrl=getIpfsLink(imageUrl)}
return linkage.push({type:"url",value:imageUrl}),{linkage,url:imageUrl}}}}}catch{}return{linkage,url:null}}static async getEnsAddress(provider){
let network=await provider.getNetwork(),ensPlugin=network.getPlugin("org.ethers.plugins.network.Ens");return assert(ensPlugin,
"network does not support ENS","UNSUPPORTED_OPERATION",{operation:"getEnsAddress",info:{network}}),ensPlugin.address}static async getUniversalResolverAddress(provider){
let ensPlugin=(await provider.getNetwork()).getPlugin("org.ethers.plugins.network.Ens");return ensPlugin&&ensPlugin.universalResolver?
ensPlugin.universalResolver:null}static async#getResolver(provider,name){let ensAddr=await _EnsResolver.getEnsAddress(provider);
try{let addr=await new Contract(ensAddr,["function resolver(bytes32) view returns (address)"],provider).resolver(namehash(
name),{enableCcipRead:!0});return addr===ZeroAddress?null:addr}catch(error){throw error}return null}static async lookupAddress(provider,address,_coinType){
let coinType=_coinType==null?BN_60:getBigInt(_coinType);isEvmCoinType(coinType)&&(address=getAddress(address));let universal=await createUniversal(
provider);if(universal)try{let addr=(await universal.reverse(address,coinType,{enableCcipRead:!0})).primary;return isValidName(
addr)?addr:null}catch(e){if(isError(e,"CALL_EXCEPTION")&&e.reason==="ResolverNotFound(bytes)")return null;throw e}assert(
coinType===BN_60,"lookupAddress coinType requires ENS Universal Resolver","UNSUPPORTED_OPERATION",{operation:"lookupAddr\
ess"});try{let resolver=await _EnsResolver.fromName(provider,`${address.toLowerCase().substring(2)}.addr.reverse`);if(!resolver)
return null;let name=await resolver.getName();return name==null||!isValidName(name)||await provider.resolveName(name)!==
address?null:name}catch(error){if(isError(error,"BAD_DATA")&&error.value==="0x"||isError(error,"CALL_EXCEPTION"))return null;
throw error}}static async fromName(provider,name){let universal=await createUniversal(provider);if(universal){let dnsName;
try{dnsName=dnsEncode(ensNormalize(name),255)}catch{return null}let result=await universal.requireResolver(dnsName);return new _EnsResolver(
provider,result.resolver,name,result.extended)}let currentName=name;for(;;){if(currentName===""||currentName==="."||name!==
"eth"&&currentName==="eth")return null;let addr=await _EnsResolver.#getResolver(provider,currentName);if(addr!=null){let resolver=new _EnsResolver(
provider,addr,name);return currentName!==name&&!await resolver.supportsWildcard()?null:resolver}currentName=currentName.
split(".").slice(1).join(".")}}};async function createUniversal(provider){let address=await EnsResolver.getUniversalResolverAddress(
provider);return address?new Contract(address,["function requireResolver(bytes) view returns ((bytes name, uint256 offse\
t, bytes32 node, address resolver, bool extended))","function findResolver(bytes) view returns (address resolver, bytes3\
2 node, uint offset)","function resolve(bytes name, bytes data) view returns (bytes result, address resolver)","function\
 reverse(bytes name, uint coinType) view returns (string primary, address resolver, address reverseResolver)","error Res\
olverNotFound(bytes name)","error ResolverNotContract(bytes name, address resolver)","error ReverseAddressMismatch(strin\
g primary, bytes primaryAddress)","error HttpError(uint16 statusCode, string statusMessage)"],provider):null}__name(createUniversal,
"createUniversal");var BN_011=BigInt(0);function allowNull(format,nullValue){return(function(value){return value==null?nullValue:format(value)})}
__name(allowNull,"allowNull");function arrayOf(format,allowNull2){return(array=>{if(allowNull2&&array==null)return null;
if(!Array.isArray(array))throw new Error("not an array");return array.map(i=>format(i))})}__name(arrayOf,"arrayOf");function object(format,altNames){
return(value=>{let result={};for(let key in format){let srcKey=key;if(altNames&&key in altNames&&!(srcKey in value)){for(let altKey of altNames[key])
if(altKey in value){srcKey=altKey;break}}try{let nv=format[key](value[srcKey]);nv!==void 0&&(result[key]=nv)}catch(error){
let message=error instanceof Error?error.message:"not-an-error";assert(!1,`invalid value for value.${key} (${message})`,
"BAD_DATA",{value})}}return result})}__name(object,"object");function formatBoolean(value){switch(value){case!0:case"tru\
e":return!0;case!1:case"false":return!1}assertArgument(!1,`invalid boolean; ${JSON.stringify(value)}`,"value",value)}__name(
formatBoolean,"formatBoolean");function formatData(value){return assertArgument(isHexString(value,!0),"invalid data","va\
lue",value),value}__name(formatData,"formatData");function formatHash(value){return assertArgument(isHexString(value,32),
"invalid hash","value",value),value}__name(formatHash,"formatHash");var _formatLog=object({address:getAddress,blockHash:formatHash,blockNumber:getNumber,data:formatData,index:getNumber,removed:allowNull(
formatBoolean,!1),topics:arrayOf(formatHash),transactionHash:formatHash,transactionIndex:getNumber},{index:["logIndex"]});
function formatLog(value){return _formatLog(value)}__name(formatLog,"formatLog");var _formatBlock=object({hash:allowNull(
formatHash),parentHash:formatHash,parentBeaconBlockRoot:allowNull(formatHash,null),number:getNumber,timestamp:getNumber,
nonce:allowNull(formatData),difficulty:getBigInt,gasLimit:getBigInt,gasUsed:getBigInt,stateRoot:allowNull(formatHash,null),
receiptsRoot:allowNull(formatHash,null),transactionsRoot:allowNull(formatHash,null),blobGasUsed:allowNull(getBigInt,null),
excessBlobGas:allowNull(getBigInt,null),miner:allowNull(getAddress),prevRandao:allowNull(formatHash,null),extraData:formatData,
baseFeePerGas:allowNull(getBigInt)},{prevRandao:["mixHash"]});function formatBlock(value){let result=_formatBlock(value);
return result.transactions=value.transactions.map(tx=>typeof tx=="string"?tx:formatTransactionResponse(tx)),result}__name(
formatBlock,"formatBlock");var _formatReceiptLog=object({transactionIndex:getNumber,blockNumber:getNumber,transactionHash:formatHash,
address:getAddress,topics:arrayOf(formatHash),data:formatData,index:getNumber,blockHash:formatHash},{index:["logIndex"]});
function formatReceiptLog(value){return _formatReceiptLog(value)}__name(formatReceiptLog,"formatReceiptLog");var _formatTransactionReceipt=object(
{to:allowNull(getAddress,null),from:allowNull(getAddress,null),contractAddress:allowNull(getAddress,null),index:getNumber,
root:allowNull(hexlify),gasUsed:getBigInt,blobGasUsed:allowNull(getBigInt,null),logsBloom:allowNull(formatData),blockHash:formatHash,
hash:formatHash,logs:arrayOf(formatReceiptLog),blockNumber:getNumber,cumulativeGasUsed:getBigInt,effectiveGasPrice:allowNull(
getBigInt),blobGasPrice:allowNull(getBigInt,null),status:allowNull(getNumber),type:allowNull(getNumber,0)},{effectiveGasPrice:[
"gasPrice"],hash:["transactionHash"],index:["transactionIndex"]});function formatTransactionReceipt(value){return _formatTransactionReceipt(
value)}__name(formatTransactionReceipt,"formatTransactionReceipt");function formatTransactionResponse(value){value.to&&getBigInt(
value.to)===BN_011&&(value.to="0x0000000000000000000000000000000000000000");let result=object({hash:formatHash,index:allowNull(
getNumber,void 0),type:__name(value2=>value2==="0x"||value2==null?0:getNumber(value2),"type"),accessList:allowNull(accessListify,
null),blobVersionedHashes:allowNull(arrayOf(formatHash,!0),null),authorizationList:allowNull(arrayOf(v=>{let sig;if(v.signature)
sig=v.signature;else{let yParity=v.yParity;yParity==="0x1b"?yParity=0:yParity==="0x1c"&&(yParity=1),sig=Object.assign({},
v,{yParity})}return{address:getAddress(v.address),chainId:getBigInt(v.chainId),nonce:getBigInt(v.nonce),signature:Signature2.
from(sig)}},!1),null),blockHash:allowNull(formatHash,null),blockNumber:allowNull(getNumber,null),transactionIndex:allowNull(
getNumber,null),from:getAddress,gasPrice:allowNull(getBigInt),maxPriorityFeePerGas:allowNull(getBigInt),maxFeePerGas:allowNull(
getBigInt),maxFeePerBlobGas:allowNull(getBigInt,null),gasLimit:getBigInt,to:allowNull(getAddress,null),value:getBigInt,nonce:getNumber,
data:formatData,creates:allowNull(getAddress,null),chainId:allowNull(getBigInt,null)},{data:["input"],gasLimit:["gas"],index:[
"transactionIndex"]})(value);if(result.to==null&&result.creates==null&&(result.creates=getCreateAddress(result)),(value.
type===1||value.type===2)&&value.accessList==null&&(result.accessList=[]),value.signature?result.signature=Signature2.from(
value.signature):result.signature=Signature2.from(value),result.chainId==null){let chainId=result.signature.legacyChainId;
chainId!=null&&(result.chainId=chainId)}return result.blockHash&&getBigInt(result.blockHash)===BN_011&&(result.blockHash=
null),result}__name(formatTransactionResponse,"formatTransactionResponse");var EnsAddress="0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e",inspect3=Symbol.for("nodejs.util.inspect.custom"),NetworkPlugin=class _NetworkPlugin{static{
__name(this,"NetworkPlugin")}name;constructor(name){defineProperties(this,{name})}[inspect3](){return this.toString()}toString(){
return`${this.name} { }`}clone(){return new _NetworkPlugin(this.name)}},GasCostPlugin=class _GasCostPlugin extends NetworkPlugin{static{
__name(this,"GasCostPlugin")}effectiveBlock;txBase;txCreate;txDataZero;txDataNonzero;txAccessListStorageKey;txAccessListAddress;constructor(effectiveBlock,costs){
effectiveBlock==null&&(effectiveBlock=0),super(`org.ethers.network.plugins.GasCost#${effectiveBlock||0}`);let props={effectiveBlock};
function set(name,nullish){let value=(costs||{})[name];value==null&&(value=nullish),assertArgument(typeof value=="number",
`invalud value for ${name}`,"costs",costs),props[name]=value}__name(set,"set"),set("txBase",21e3),set("txCreate",32e3),set(
"txDataZero",4),set("txDataNonzero",16),set("txAccessListStorageKey",1900),set("txAccessListAddress",2400),defineProperties(
this,props)}toString(){return`${this.name} { txBase: ${this.txBase}, txCreate: ${this.txCreate}, txDataZero: ${this.txDataZero}\
, txAccessListStorageKey: ${this.txAccessListStorageKey}, txAccessListAddress: ${this.txAccessListAddress} }`}clone(){return new _GasCostPlugin(
this.effectiveBlock,this)}},EnsPlugin=class _EnsPlugin extends NetworkPlugin{static{__name(this,"EnsPlugin")}address;targetNetwork;universalResolver;constructor(address,targetNetwork,universalResolver){
super("org.ethers.plugins.network.Ens"),defineProperties(this,{address:address||EnsAddress,targetNetwork:targetNetwork??
1,universalResolver})}toString(){return`${this.name} { address: ${this.address}, targetNetwork: ${this.targetNetwork}, u\
niversalResolver: ${this.universalResolver} }`}clone(){return new _EnsPlugin(this.address,this.targetNetwork,this.universalResolver)}},
FeeDataNetworkPlugin=class _FeeDataNetworkPlugin extends NetworkPlugin{static{__name(this,"FeeDataNetworkPlugin")}#feeDataFunc;get feeDataFunc(){
return this.#feeDataFunc}constructor(feeDataFunc){super("org.ethers.plugins.network.FeeData"),this.#feeDataFunc=feeDataFunc}async getFeeData(provider){
return await this.#feeDataFunc(provider)}clone(){return new _FeeDataNetworkPlugin(this.#feeDataFunc)}},FetchUrlFeeDataNetworkPlugin=class extends NetworkPlugin{static{
__name(this,"FetchUrlFeeDataNetworkPlugin")}#url;#processFunc;get url(){return this.#url}get processFunc(){return this.#processFunc}constructor(url,processFunc){
super("org.ethers.plugins.network.FetchUrlFeeDataPlugin"),this.#url=url,this.#processFunc=processFunc}toString(){return`${this.
name} { url: ${this.url} }`}clone(){return this}};var inspect4=Symbol.for("nodejs.util.inspect.custom"),Networks=new Map,Network=class _Network{static{__name(this,"Networ\
k")}#name;#chainId;#plugins;constructor(name,chainId){this.#name=name,this.#chainId=getBigInt(chainId),this.#plugins=new Map}[inspect4](){
return this.toString()}toString(){let plugins=[];for(let plugin of this.#plugins.values())plugins.push(plugin.toString());
return`Network { name: ${this.name}, chainId: ${this.chainId}, plugins: [ ${plugins.join(", ")} ] }`}toJSON(){return{name:this.
name,chainId:String(this.chainId)}}get name(){return this.#name}set name(value){this.#name=value}get chainId(){return this.#chainId}set chainId(value){
this.#chainId=getBigInt(value,"chainId")}matches(other){if(other==null)return!1;if(typeof other=="string"){try{return this.
chainId===getBigInt(other)}catch{}return this.name===other}if(typeof other=="number"||typeof other=="bigint"){try{return this.
chainId===getBigInt(other)}catch{}return!1}if(typeof other=="object"){if(other.chainId!=null){try{return this.chainId===
getBigInt(other.chainId)}catch{}return!1}return other.name!=null?this.name===other.name:!1}return!1}get plugins(){return Array.
from(this.#plugins.values())}attachPlugin(plugin){if(this.#plugins.get(plugin.name))throw new Error(`cannot replace exis\
ting plugin: ${plugin.name} `);return this.#plugins.set(plugin.name,plugin.clone()),this}getPlugin(name){return this.#plugins.
get(name)||null}getPlugins(basename){return this.plugins.filter(p=>p.name.split("#")[0]===basename)}clone(){let clone=new _Network(
this.name,this.chainId);return this.plugins.forEach(plugin=>{clone.attachPlugin(plugin.clone())}),clone}computeIntrinsicGas(tx){
let costs=this.getPlugin("org.ethers.plugins.network.GasCost")||new GasCostPlugin,gas=costs.txBase;if(tx.to==null&&(gas+=
costs.txCreate),tx.data)for(let i=2;i<tx.data.length;i+=2)tx.data.substring(i,i+2)==="00"?gas+=costs.txDataZero:gas+=costs.
txDataNonzero;if(tx.accessList){let accessList=accessListify(tx.accessList);for(let addr in accessList)gas+=costs.txAccessListAddress+
costs.txAccessListStorageKey*accessList[addr].storageKeys.length}return gas}static from(network){if(injectCommonNetworks(),
network==null)return _Network.from("mainnet");if(typeof network=="number"&&(network=BigInt(network)),typeof network=="st\
ring"||typeof network=="bigint"){let networkFunc=Networks.get(network);if(networkFunc)return networkFunc();if(typeof network==
"bigint")return new _Network("unknown",network);assertArgument(!1,"unknown network","network",network)}if(typeof network.
clone=="function")return network.clone();if(typeof network=="object"){assertArgument(typeof network.name=="string"&&typeof network.
chainId=="number","invalid network object name or chainId","network",network);let custom=new _Network(network.name,network.
chainId),n2=network;return(n2.ensAddress||n2.ensNetwork!=null||n2.ensUniversalResolver)&&custom.attachPlugin(new EnsPlugin(
n2.ensAddress,n2.ensNetwork,n2.ensUniversalResolver)),custom}assertArgument(!1,"invalid network","network",network)}static register(nameOrChainId,networkFunc){
typeof nameOrChainId=="number"&&(nameOrChainId=BigInt(nameOrChainId));let existing=Networks.get(nameOrChainId);existing&&
assertArgument(!1,`conflicting network for ${JSON.stringify(existing.name)}`,"nameOrChainId",nameOrChainId),Networks.set(
nameOrChainId,networkFunc)}};function parseUnits2(_value,decimals){let value=String(_value);if(!value.match(/^[0-9.]+$/))
throw new Error(`invalid gwei value: ${_value}`);let comps=value.split(".");if(comps.length===1&&comps.push(""),comps.length!==
2)throw new Error(`invalid gwei value: ${_value}`);for(;comps[1].length<decimals;)comps[1]+="0";if(comps[1].length>9){let frac=BigInt(
comps[1].substring(0,9));comps[1].substring(9).match(/^0+$/)||frac++,comps[1]=frac.toString()}return BigInt(comps[0]+comps[1])}
__name(parseUnits2,"parseUnits");function getGasStationPlugin(url){return new FetchUrlFeeDataNetworkPlugin(url,async(fetchFeeData,provider,request)=>{
request.setHeader("User-Agent","ethers");let response;try{let[_response,_feeData]=await Promise.all([request.send(),fetchFeeData()]);
response=_response;let payload=response.bodyJson.standard;return{gasPrice:_feeData.gasPrice,maxFeePerGas:parseUnits2(payload.
maxFee,9),maxPriorityFeePerGas:parseUnits2(payload.maxPriorityFee,9)}}catch(error){assert(!1,`error encountered with pol\
ygon gas station (${JSON.stringify(request.url)})`,"SERVER_ERROR",{request,response,error})}})}__name(getGasStationPlugin,
"getGasStationPlugin");var injected=!1;function injectCommonNetworks(){if(injected)return;injected=!0;function registerEth(name,chainId,options){
let func=__name(function(){let network=new Network(name,chainId);return options.ensNetwork!=null&&network.attachPlugin(new EnsPlugin(
null,options.ensNetwork,options.ensUniversalResolver)),network.attachPlugin(new GasCostPlugin),(options.plugins||[]).forEach(
plugin=>{network.attachPlugin(plugin)}),network},"func");Network.register(name,func),Network.register(chainId,func),options.
altNames&&options.altNames.forEach(name2=>{Network.register(name2,func)})}__name(registerEth,"registerEth");let ensUniversalResolver="\
0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe";registerEth("mainnet",1,{ensUniversalResolver,ensNetwork:1,altNames:["homest\
ead"]}),registerEth("ropsten",3,{ensNetwork:3}),registerEth("rinkeby",4,{ensNetwork:4}),registerEth("goerli",5,{ensNetwork:5}),
registerEth("kovan",42,{ensNetwork:42}),registerEth("sepolia",11155111,{ensUniversalResolver,ensNetwork:11155111}),registerEth(
"holesky",17e3,{ensNetwork:17e3}),registerEth("classic",61,{}),registerEth("classicKotti",6,{}),registerEth("arbitrum",42161,
{ensNetwork:1}),registerEth("arbitrum-goerli",421613,{}),registerEth("arbitrum-sepolia",421614,{}),registerEth("base",8453,
{ensNetwork:1}),registerEth("base-goerli",84531,{}),registerEth("base-sepolia",84532,{}),registerEth("bnb",56,{ensNetwork:1}),
registerEth("bnbt",97,{}),registerEth("filecoin",314,{}),registerEth("filecoin-calibration",314159,{}),registerEth("line\
a",59144,{ensNetwork:1}),registerEth("linea-goerli",59140,{}),registerEth("linea-sepolia",59141,{}),registerEth("matic",
137,{ensNetwork:1,plugins:[getGasStationPlugin("https://gasstation.polygon.technology/v2")]}),registerEth("matic-amoy",80002,
{}),registerEth("matic-mumbai",80001,{altNames:["maticMumbai","maticmum"],plugins:[getGasStationPlugin("https://gasstati\
on-testnet.polygon.technology/v2")]}),registerEth("optimism",10,{ensNetwork:1,plugins:[]}),registerEth("optimism-goerli",
420,{}),registerEth("optimism-sepolia",11155420,{}),registerEth("xdai",100,{ensNetwork:1})}__name(injectCommonNetworks,"\
injectCommonNetworks");function copy(obj){return JSON.parse(JSON.stringify(obj))}__name(copy,"copy");var PollingBlockSubscriber=class{static{__name(this,"PollingBlockSubscriber")}#provider;#poller;#interval;#blockNumber;constructor(provider){
this.#provider=provider,this.#poller=null,this.#interval=4e3,this.#blockNumber=-2}get pollingInterval(){return this.#interval}set pollingInterval(value){
this.#interval=value}async#poll(){try{let blockNumber=await this.#provider.getBlockNumber();if(this.#blockNumber===-2){this.#blockNumber=
blockNumber;return}if(blockNumber!==this.#blockNumber){for(let b2=this.#blockNumber+1;b2<=blockNumber;b2++){if(this.#poller==
null)return;await this.#provider.emit("block",b2)}this.#blockNumber=blockNumber}}catch{}this.#poller!=null&&(this.#poller=
this.#provider._setTimeout(this.#poll.bind(this),this.#interval))}start(){this.#poller||(this.#poller=this.#provider._setTimeout(
this.#poll.bind(this),this.#interval),this.#poll())}stop(){this.#poller&&(this.#provider._clearTimeout(this.#poller),this.#poller=
null)}pause(dropWhilePaused){this.stop(),dropWhilePaused&&(this.#blockNumber=-2)}resume(){this.start()}},OnBlockSubscriber=class{static{
__name(this,"OnBlockSubscriber")}#provider;#poll;#running;constructor(provider){this.#provider=provider,this.#running=!1,
this.#poll=blockNumber=>{this._poll(blockNumber,this.#provider)}}async _poll(blockNumber,provider){throw new Error("sub-\
classes must override this")}start(){this.#running||(this.#running=!0,this.#poll(-2),this.#provider.on("block",this.#poll))}stop(){
this.#running&&(this.#running=!1,this.#provider.off("block",this.#poll))}pause(dropWhilePaused){this.stop()}resume(){this.
start()}},PollingBlockTagSubscriber=class extends OnBlockSubscriber{static{__name(this,"PollingBlockTagSubscriber")}#tag;#lastBlock;constructor(provider,tag){
super(provider),this.#tag=tag,this.#lastBlock=-2}pause(dropWhilePaused){dropWhilePaused&&(this.#lastBlock=-2),super.pause(
dropWhilePaused)}async _poll(blockNumber,provider){let block=await provider.getBlock(this.#tag);block!=null&&(this.#lastBlock===
-2?this.#lastBlock=block.number:block.number>this.#lastBlock&&(provider.emit(this.#tag,block.number),this.#lastBlock=block.
number))}},PollingOrphanSubscriber=class extends OnBlockSubscriber{static{__name(this,"PollingOrphanSubscriber")}#filter;constructor(provider,filter){
super(provider),this.#filter=copy(filter)}async _poll(blockNumber,provider){throw new Error("@TODO")}},PollingTransactionSubscriber=class extends OnBlockSubscriber{static{
__name(this,"PollingTransactionSubscriber")}#hash;constructor(provider,hash3){super(provider),this.#hash=hash3}async _poll(blockNumber,provider){
let tx=await provider.getTransactionReceipt(this.#hash);tx&&provider.emit(this.#hash,tx)}},PollingEventSubscriber=class{static{
__name(this,"PollingEventSubscriber")}#provider;#filter;#poller;#running;#blockNumber;constructor(provider,filter){this.#provider=
provider,this.#filter=copy(filter),this.#poller=this.#poll.bind(this),this.#running=!1,this.#blockNumber=-2}async#poll(blockNumber){
if(this.#blockNumber===-2)return;let filter=copy(this.#filter);filter.fromBlock=this.#blockNumber+1,filter.toBlock=blockNumber;
let logs=await this.#provider.getLogs(filter);if(logs.length===0){this.#blockNumber<blockNumber-60&&(this.#blockNumber=blockNumber-
60);return}for(let log of logs)this.#provider.emit(this.#filter,log),this.#blockNumber=log.blockNumber}start(){this.#running||
(this.#running=!0,this.#blockNumber===-2&&this.#provider.getBlockNumber().then(blockNumber=>{this.#blockNumber=blockNumber}),
this.#provider.on("block",this.#poller))}stop(){this.#running&&(this.#running=!1,this.#provider.off("block",this.#poller))}pause(dropWhilePaused){
this.stop(),dropWhilePaused&&(this.#blockNumber=-2)}resume(){this.start()}};var BN_23=BigInt(2),MAX_CCIP_REDIRECTS=10;function stall(duration){return new Promise(resolve=>{setTimeout(resolve,duration)})}
__name(stall,"stall");function isPromise(value){return value&&typeof value.then=="function"}__name(isPromise,"isPromise");
function getTag(prefix,value){return prefix+":"+JSON.stringify(value,(k,v)=>{if(v==null)return"null";if(typeof v=="bigin\
t")return`bigint:${v.toString()}`;if(typeof v=="string")return v.toLowerCase();if(typeof v=="object"&&!Array.isArray(v)){
let keys=Object.keys(v);return keys.sort(),keys.reduce((accum,key)=>(accum[key]=v[key],accum),{})}return v})}__name(getTag,
"getTag");var UnmanagedSubscriber=class{static{__name(this,"UnmanagedSubscriber")}name;constructor(name){defineProperties(
this,{name})}start(){}stop(){}pause(dropWhilePaused){}resume(){}};function copy2(value){return JSON.parse(JSON.stringify(
value))}__name(copy2,"copy");function concisify(items){return items=Array.from(new Set(items).values()),items.sort(),items}
__name(concisify,"concisify");async function getSubscription(_event,provider){if(_event==null)throw new Error("invalid e\
vent");if(Array.isArray(_event)&&(_event={topics:_event}),typeof _event=="string")switch(_event){case"block":case"debug":case"\
error":case"finalized":case"network":case"pending":case"safe":return{type:_event,tag:_event}}if(isHexString(_event,32)){
let hash3=_event.toLowerCase();return{type:"transaction",tag:getTag("tx",{hash:hash3}),hash:hash3}}if(_event.orphan){let event=_event;
return{type:"orphan",tag:getTag("orphan",event),filter:copy2(event)}}if(_event.address||_event.topics){let event=_event,
filter={topics:(event.topics||[]).map(t=>t==null?null:Array.isArray(t)?concisify(t.map(t2=>t2.toLowerCase())):t.toLowerCase())};
if(event.address){let addresses=[],promises=[],addAddress=__name(addr=>{isHexString(addr)?addresses.push(addr):promises.
push((async()=>{addresses.push(await resolveAddress(addr,provider))})())},"addAddress");Array.isArray(event.address)?event.
address.forEach(addAddress):addAddress(event.address),promises.length&&await Promise.all(promises),filter.address=concisify(
addresses.map(a=>a.toLowerCase()))}return{filter,tag:getTag("event",filter),type:"event"}}assertArgument(!1,"unknown Pro\
viderEvent","event",_event)}__name(getSubscription,"getSubscription");function getTime2(){return new Date().getTime()}__name(
getTime2,"getTime");var defaultOptions={cacheTimeout:250,pollingInterval:4e3},AbstractProvider=class{static{__name(this,
"AbstractProvider")}#subs;#plugins;#pausedState;#destroyed;#networkPromise;#anyNetwork;#performCache;#lastBlockNumber;#nextTimer;#timers;#disableCcipRead;#requestRate;#requestTimes;#options;constructor(_network,options){
if(this.#options=Object.assign({},defaultOptions,options||{}),_network==="any")this.#anyNetwork=!0,this.#networkPromise=
null;else if(_network){let network=Network.from(_network);this.#anyNetwork=!1,this.#networkPromise=Promise.resolve(network),
setTimeout(()=>{this.emit("network",network,null)},0)}else this.#anyNetwork=!1,this.#networkPromise=null;this.#lastBlockNumber=
-1,this.#performCache=new Map,this.#subs=new Map,this.#plugins=new Map,this.#pausedState=null,this.#destroyed=!1,this.#nextTimer=
1,this.#timers=new Map,this.#disableCcipRead=!1,this.#requestRate=0,this.#requestTimes=[]}get _requestRate(){let value=this.#requestRate;
return value==0?null:value}set _requestRate(value){(value==null||value<0)&&(value=0),this.#requestRate=getNumber(value)}get pollingInterval(){
return this.#options.pollingInterval}get provider(){return this}get plugins(){return Array.from(this.#plugins.values())}attachPlugin(plugin){
if(this.#plugins.get(plugin.name))throw new Error(`cannot replace existing plugin: ${plugin.name} `);return this.#plugins.
set(plugin.name,plugin.connect(this)),this}getPlugin(name){return this.#plugins.get(name)||null}get disableCcipRead(){return this.#disableCcipRead}set disableCcipRead(value){
this.#disableCcipRead=!!value}#getDelay(){let requestRate=this.#requestRate;if(requestRate===0)return 0;let requests=this.#requestTimes,
now=getTime2();requests.push(now);let scanTime=now-1e3;for(;requests.length&&requests[0]<scanTime;)requests.shift();return requests.
length<requestRate?0:requests[0]+1e3-now}async#perform(req){let timeout=this.#options.cacheTimeout;if(timeout<0){let delay=this.#getDelay();
return delay&&await stall(delay),await this._perform(req)}let tag=getTag(req.method,req),perform=this.#performCache.get(
tag);if(!perform){let delay=this.#getDelay();delay&&await stall(delay),perform=this._perform(req),this.#performCache.set(
tag,perform),setTimeout(()=>{this.#performCache.get(tag)===perform&&this.#performCache.delete(tag)},timeout)}return await perform}async ccipReadFetch(tx,calldata,urls){
if(this.disableCcipRead||urls.length===0||tx.to==null)return null;let sender=tx.to.toLowerCase(),data=calldata.toLowerCase(),
errorMessages=[];for(let i=0;i<urls.length;i++){let url=urls[i],href=url.replace("{sender}",sender).replace("{data}",data),
request=new FetchRequest(href);url.indexOf("{data}")===-1&&(request.body={data,sender}),this.emit("debug",{action:"sendC\
cipReadFetchRequest",request,index:i,urls});let errorMessage="unknown error",resp;try{resp=await request.send()}catch(error){
errorMessages.push(error.message),this.emit("debug",{action:"receiveCcipReadFetchError",request,result:{error}});continue}
try{let result=resp.bodyJson;if(result.data)return this.emit("debug",{action:"receiveCcipReadFetchResult",request,result}),
result.data;result.message&&(errorMessage=result.message),this.emit("debug",{action:"receiveCcipReadFetchError",request,
result})}catch{}assert(resp.statusCode<400||resp.statusCode>=500,`response not found during CCIP fetch: ${errorMessage}`,
"OFFCHAIN_FAULT",{reason:"404_MISSING_RESOURCE",transaction:tx,info:{url,errorMessage}}),errorMessages.push(errorMessage)}
assert(!1,`error encountered during CCIP fetch: ${errorMessages.map(m=>JSON.stringify(m)).join(", ")}`,"OFFCHAIN_FAULT",
{reason:"500_SERVER_ERROR",transaction:tx,info:{urls,errorMessages}})}_wrapBlock(value,network){return new Block(formatBlock(
value),this)}_wrapLog(value,network){return new Log(formatLog(value),this)}_wrapTransactionReceipt(value,network){return new TransactionReceipt(
formatTransactionReceipt(value),this)}_wrapTransactionResponse(tx,network){return new TransactionResponse(formatTransactionResponse(
tx),this)}_detectNetwork(){assert(!1,"sub-classes must implement this","UNSUPPORTED_OPERATION",{operation:"_detectNetwor\
k"})}async _perform(req){assert(!1,`unsupported method: ${req.method}`,"UNSUPPORTED_OPERATION",{operation:req.method,info:req})}async getBlockNumber(){
let blockNumber=getNumber(await this.#perform({method:"getBlockNumber"}),"%response");return this.#lastBlockNumber>=0&&(this.#lastBlockNumber=
blockNumber),blockNumber}_getAddress(address){return resolveAddress(address,this)}_getBlockTag(blockTag){if(blockTag==null)
return"latest";switch(blockTag){case"earliest":return"0x0";case"finalized":case"latest":case"pending":case"safe":return blockTag}
if(isHexString(blockTag))return isHexString(blockTag,32)?blockTag:toQuantity(blockTag);if(typeof blockTag=="bigint"&&(blockTag=
getNumber(blockTag,"blockTag")),typeof blockTag=="number")return blockTag>=0?toQuantity(blockTag):this.#lastBlockNumber>=
0?toQuantity(this.#lastBlockNumber+blockTag):this.getBlockNumber().then(b2=>toQuantity(b2+blockTag));assertArgument(!1,"\
invalid blockTag","blockTag",blockTag)}_getFilter(filter){let topics=(filter.topics||[]).map(t=>t==null?null:Array.isArray(
t)?concisify(t.map(t2=>t2.toLowerCase())):t.toLowerCase()),blockHash="blockHash"in filter?filter.blockHash:void 0,resolve=__name(
(_address,fromBlock2,toBlock2)=>{let address2;switch(_address.length){case 0:break;case 1:address2=_address[0];break;default:
_address.sort(),address2=_address}if(blockHash&&(fromBlock2!=null||toBlock2!=null))throw new Error("invalid filter");let filter2={};
return address2&&(filter2.address=address2),topics.length&&(filter2.topics=topics),fromBlock2&&(filter2.fromBlock=fromBlock2),
toBlock2&&(filter2.toBlock=toBlock2),blockHash&&(filter2.blockHash=blockHash),filter2},"resolve"),address=[];if(filter.address)
if(Array.isArray(filter.address))for(let addr of filter.address)address.push(this._getAddress(addr));else address.push(this.
_getAddress(filter.address));let fromBlock;"fromBlock"in filter&&(fromBlock=this._getBlockTag(filter.fromBlock));let toBlock;
return"toBlock"in filter&&(toBlock=this._getBlockTag(filter.toBlock)),address.filter(a=>typeof a!="string").length||fromBlock!=
null&&typeof fromBlock!="string"||toBlock!=null&&typeof toBlock!="string"?Promise.all([Promise.all(address),fromBlock,toBlock]).
then(result=>resolve(result[0],result[1],result[2])):resolve(address,fromBlock,toBlock)}_getTransactionRequest(_request){
let request=copyRequest(_request),promises=[];if(["to","from"].forEach(key=>{if(request[key]==null)return;let addr=resolveAddress(
request[key],this);isPromise(addr)?promises.push((async function(){request[key]=await addr})()):request[key]=addr}),request.
blockTag!=null){let blockTag=this._getBlockTag(request.blockTag);isPromise(blockTag)?promises.push((async function(){request.
blockTag=await blockTag})()):request.blockTag=blockTag}return promises.length?(async function(){return await Promise.all(
promises),request})():request}async getNetwork(){if(this.#networkPromise==null){let detectNetwork=(async()=>{try{let network=await this.
_detectNetwork();return this.emit("network",network,null),network}catch(error){throw this.#networkPromise===detectNetwork&&
(this.#networkPromise=null),error}})();return this.#networkPromise=detectNetwork,(await detectNetwork).clone()}let networkPromise=this.#networkPromise,
[expected,actual]=await Promise.all([networkPromise,this._detectNetwork()]);return expected.chainId!==actual.chainId&&(this.#anyNetwork?
(this.emit("network",actual,expected),this.#networkPromise===networkPromise&&(this.#networkPromise=Promise.resolve(actual))):
assert(!1,`network changed: ${expected.chainId} => ${actual.chainId} `,"NETWORK_ERROR",{event:"changed"})),expected.clone()}async getFeeData(){
let network=await this.getNetwork(),getFeeDataFunc=__name(async()=>{let{_block,gasPrice,priorityFee}=await resolveProperties(
{_block:this.#getBlock("latest",!1),gasPrice:(async()=>{try{let value=await this.#perform({method:"getGasPrice"});return getBigInt(
value,"%response")}catch{}return null})(),priorityFee:(async()=>{try{let value=await this.#perform({method:"getPriorityF\
ee"});return getBigInt(value,"%response")}catch{}return null})()}),maxFeePerGas=null,maxPriorityFeePerGas=null,block=this.
_wrapBlock(_block,network);return block&&block.baseFeePerGas&&(maxPriorityFeePerGas=priorityFee??BigInt("1000000000"),maxFeePerGas=
block.baseFeePerGas*BN_23+maxPriorityFeePerGas),new FeeData(gasPrice,maxFeePerGas,maxPriorityFeePerGas)},"getFeeDataFunc"),
plugin=network.getPlugin("org.ethers.plugins.network.FetchUrlFeeDataPlugin");if(plugin){let req=new FetchRequest(plugin.
url),feeData=await plugin.processFunc(getFeeDataFunc,this,req);return new FeeData(feeData.gasPrice,feeData.maxFeePerGas,
feeData.maxPriorityFeePerGas)}return await getFeeDataFunc()}async estimateGas(_tx){let tx=this._getTransactionRequest(_tx);
return isPromise(tx)&&(tx=await tx),getBigInt(await this.#perform({method:"estimateGas",transaction:tx}),"%response")}async#call(tx,blockTag,attempt){
assert(attempt<MAX_CCIP_REDIRECTS,"CCIP read exceeded maximum redirections","OFFCHAIN_FAULT",{reason:"TOO_MANY_REDIRECTS",
transaction:Object.assign({},tx,{blockTag,enableCcipRead:!0})});let transaction=copyRequest(tx);try{let delay=this.#getDelay();
return delay&&await stall(delay),hexlify(await this._perform({method:"call",transaction,blockTag}))}catch(error){if(!this.
disableCcipRead&&isCallException(error)&&error.data&&attempt>=0&&blockTag==="latest"&&transaction.to!=null&&dataSlice(error.
data,0,4)==="0x556f1830"){let data=error.data,txSender=await resolveAddress(transaction.to,this),ccipArgs;try{ccipArgs=parseOffchainLookup(
dataSlice(error.data,4))}catch(error2){assert(!1,error2.message,"OFFCHAIN_FAULT",{reason:"BAD_DATA",transaction,info:{data}})}
assert(ccipArgs.sender.toLowerCase()===txSender.toLowerCase(),"CCIP Read sender mismatch","CALL_EXCEPTION",{action:"call",
data,reason:"OffchainLookup",transaction,invocation:null,revert:{signature:"OffchainLookup(address,string[],bytes,bytes4\
,bytes)",name:"OffchainLookup",args:ccipArgs.errorArgs}});let ccipResult=await this.ccipReadFetch(transaction,ccipArgs.calldata,
ccipArgs.urls);assert(ccipResult!=null,"CCIP Read failed to fetch data","OFFCHAIN_FAULT",{reason:"FETCH_FAILED",transaction,
info:{data:error.data,errorArgs:ccipArgs.errorArgs}});let tx2={to:txSender,data:concat([ccipArgs.selector,encodeBytes([ccipResult,
ccipArgs.extraData])])};this.emit("debug",{action:"sendCcipReadCall",transaction:tx2});try{let result=await this.#call(tx2,
blockTag,attempt+1);return this.emit("debug",{action:"receiveCcipReadCallResult",transaction:Object.assign({},tx2),result}),
result}catch(error2){throw this.emit("debug",{action:"receiveCcipReadCallError",transaction:Object.assign({},tx2),error:error2}),
error2}}throw error}}async#checkNetwork(promise){let{value}=await resolveProperties({network:this.getNetwork(),value:promise});
return value}async call(_tx){let{tx,blockTag}=await resolveProperties({tx:this._getTransactionRequest(_tx),blockTag:this.
_getBlockTag(_tx.blockTag)});return await this.#checkNetwork(this.#call(tx,blockTag,_tx.enableCcipRead?0:-1))}async#getAccountValue(request,_address,_blockTag){
let address=this._getAddress(_address),blockTag=this._getBlockTag(_blockTag);return(typeof address!="string"||typeof blockTag!=
"string")&&([address,blockTag]=await Promise.all([address,blockTag])),await this.#checkNetwork(this.#perform(Object.assign(
request,{address,blockTag})))}async getBalance(address,blockTag){return getBigInt(await this.#getAccountValue({method:"g\
etBalance"},address,blockTag),"%response")}async getTransactionCount(address,blockTag){return getNumber(await this.#getAccountValue(
{method:"getTransactionCount"},address,blockTag),"%response")}async getCode(address,blockTag){return hexlify(await this.#getAccountValue(
{method:"getCode"},address,blockTag))}async getStorage(address,_position,blockTag){let position=getBigInt(_position,"pos\
ition");return hexlify(await this.#getAccountValue({method:"getStorage",position},address,blockTag))}async broadcastTransaction(signedTx){
let{blockNumber,hash:hash3,network}=await resolveProperties({blockNumber:this.getBlockNumber(),hash:this._perform({method:"\
broadcastTransaction",signedTransaction:signedTx}),network:this.getNetwork()}),tx=Transaction.from(signedTx);if(tx.hash!==
hash3)throw new Error("@TODO: the returned hash did not match");return this._wrapTransactionResponse(tx,network).replaceableTransaction(
blockNumber)}async#getBlock(block,includeTransactions){if(isHexString(block,32))return await this.#perform({method:"getB\
lock",blockHash:block,includeTransactions});let blockTag=this._getBlockTag(block);return typeof blockTag!="string"&&(blockTag=
await blockTag),await this.#perform({method:"getBlock",blockTag,includeTransactions})}async getBlock(block,prefetchTxs){
let{network,params}=await resolveProperties({network:this.getNetwork(),params:this.#getBlock(block,!!prefetchTxs)});return params==
null?null:this._wrapBlock(params,network)}async getTransaction(hash3){let{network,params}=await resolveProperties({network:this.
getNetwork(),params:this.#perform({method:"getTransaction",hash:hash3})});return params==null?null:this._wrapTransactionResponse(
params,network)}async getTransactionReceipt(hash3){let{network,params}=await resolveProperties({network:this.getNetwork(),
params:this.#perform({method:"getTransactionReceipt",hash:hash3})});if(params==null)return null;if(params.gasPrice==null&&
params.effectiveGasPrice==null){let tx=await this.#perform({method:"getTransaction",hash:hash3});if(tx==null)throw new Error(
"report this; could not find tx or effectiveGasPrice");params.effectiveGasPrice=tx.gasPrice}return this._wrapTransactionReceipt(
params,network)}async getTransactionResult(hash3){let{result}=await resolveProperties({network:this.getNetwork(),result:this.#perform(
{method:"getTransactionResult",hash:hash3})});return result==null?null:hexlify(result)}async getLogs(_filter){let filter=this.
_getFilter(_filter);isPromise(filter)&&(filter=await filter);let{network,params}=await resolveProperties({network:this.getNetwork(),
params:this.#perform({method:"getLogs",filter})});return params.map(p=>this._wrapLog(p,network))}_getProvider(chainId){assert(
!1,"provider cannot connect to target network","UNSUPPORTED_OPERATION",{operation:"_getProvider()"})}async getResolver(name){
return await EnsResolver.fromName(this,name)}async getAvatar(name){let resolver=await this.getResolver(name);return resolver?
await resolver.getAvatar():null}async resolveName(name,coinType){let resolver=await this.getResolver(name);return resolver?
await resolver.getAddress(coinType):null}async lookupAddress(address,coinType){return await EnsResolver.lookupAddress(this,
address,coinType)}async waitForTransaction(hash3,_confirms,timeout){let confirms=_confirms??1;return confirms===0?this.getTransactionReceipt(
hash3):new Promise(async(resolve,reject)=>{let timer=null,listener=__name((async blockNumber=>{try{let receipt=await this.
getTransactionReceipt(hash3);if(receipt!=null&&blockNumber-receipt.blockNumber+1>=confirms){resolve(receipt),timer&&(clearTimeout(
timer),timer=null);return}}catch(error){console.log("EEE",error)}this.once("block",listener)}),"listener");timeout!=null&&
(timer=setTimeout(()=>{timer!=null&&(timer=null,this.off("block",listener),reject(makeError("timeout","TIMEOUT",{reason:"\
timeout"})))},timeout)),listener(await this.getBlockNumber())})}async waitForBlock(blockTag){assert(!1,"not implemented \
yet","NOT_IMPLEMENTED",{operation:"waitForBlock"})}_clearTimeout(timerId){let timer=this.#timers.get(timerId);timer&&(timer.
timer&&clearTimeout(timer.timer),this.#timers.delete(timerId))}_setTimeout(_func,timeout){timeout==null&&(timeout=0);let timerId=this.#nextTimer++,
func=__name(()=>{this.#timers.delete(timerId),_func()},"func");if(this.paused)this.#timers.set(timerId,{timer:null,func,
time:timeout});else{let timer=setTimeout(func,timeout);this.#timers.set(timerId,{timer,func,time:getTime2()})}return timerId}_forEachSubscriber(func){
for(let sub of this.#subs.values())func(sub.subscriber)}_getSubscriber(sub){switch(sub.type){case"debug":case"error":case"\
network":return new UnmanagedSubscriber(sub.type);case"block":{let subscriber=new PollingBlockSubscriber(this);return subscriber.
pollingInterval=this.pollingInterval,subscriber}case"safe":case"finalized":return new PollingBlockTagSubscriber(this,sub.
type);case"event":return new PollingEventSubscriber(this,sub.filter);case"transaction":return new PollingTransactionSubscriber(
this,sub.hash);case"orphan":return new PollingOrphanSubscriber(this,sub.filter)}throw new Error(`unsupported event: ${sub.
type}`)}_recoverSubscriber(oldSub,newSub){for(let sub of this.#subs.values())if(sub.subscriber===oldSub){sub.started&&sub.
subscriber.stop(),sub.subscriber=newSub,sub.started&&newSub.start(),this.#pausedState!=null&&newSub.pause(this.#pausedState);
break}}async#hasSub(event,emitArgs){let sub=await getSubscription(event,this);return sub.type==="event"&&emitArgs&&emitArgs.
length>0&&emitArgs[0].removed===!0&&(sub=await getSubscription({orphan:"drop-log",log:emitArgs[0]},this)),this.#subs.get(
sub.tag)||null}async#getSub(event){let subscription=await getSubscription(event,this),tag=subscription.tag,sub=this.#subs.
get(tag);return sub||(sub={subscriber:this._getSubscriber(subscription),tag,addressableMap:new WeakMap,nameMap:new Map,started:!1,
listeners:[]},this.#subs.set(tag,sub)),sub}async on(event,listener){let sub=await this.#getSub(event);return sub.listeners.
push({listener,once:!1}),sub.started||(sub.subscriber.start(),sub.started=!0,this.#pausedState!=null&&sub.subscriber.pause(
this.#pausedState)),this}async once(event,listener){let sub=await this.#getSub(event);return sub.listeners.push({listener,
once:!0}),sub.started||(sub.subscriber.start(),sub.started=!0,this.#pausedState!=null&&sub.subscriber.pause(this.#pausedState)),
this}async emit(event,...args){let sub=await this.#hasSub(event,args);if(!sub||sub.listeners.length===0)return!1;let count2=sub.
listeners.length;return sub.listeners=sub.listeners.filter(({listener,once})=>{let payload=new EventPayload(this,once?null:
listener,event);try{listener.call(this,...args,payload)}catch{}return!once}),sub.listeners.length===0&&(sub.started&&sub.
subscriber.stop(),this.#subs.delete(sub.tag)),count2>0}async listenerCount(event){if(event){let sub=await this.#hasSub(event);
return sub?sub.listeners.length:0}let total=0;for(let{listeners}of this.#subs.values())total+=listeners.length;return total}async listeners(event){
if(event){let sub=await this.#hasSub(event);return sub?sub.listeners.map(({listener})=>listener):[]}let result=[];for(let{
listeners}of this.#subs.values())result=result.concat(listeners.map(({listener})=>listener));return result}async off(event,listener){
let sub=await this.#hasSub(event);if(!sub)return this;if(listener){let index=sub.listeners.map(({listener:listener2})=>listener2).
indexOf(listener);index>=0&&sub.listeners.splice(index,1)}return(!listener||sub.listeners.length===0)&&(sub.started&&sub.
subscriber.stop(),this.#subs.delete(sub.tag)),this}async removeAllListeners(event){if(event){let{tag,started,subscriber}=await this.#getSub(
event);started&&subscriber.stop(),this.#subs.delete(tag)}else for(let[tag,{started,subscriber}]of this.#subs)started&&subscriber.
stop(),this.#subs.delete(tag);return this}async addListener(event,listener){return await this.on(event,listener)}async removeListener(event,listener){
return this.off(event,listener)}get destroyed(){return this.#destroyed}destroy(){this.removeAllListeners();for(let timerId of this.#timers.
keys())this._clearTimeout(timerId);this.#destroyed=!0}get paused(){return this.#pausedState!=null}set paused(pause){!!pause!==
this.paused&&(this.paused?this.resume():this.pause(!1))}pause(dropWhilePaused){if(this.#lastBlockNumber=-1,this.#pausedState!=
null){if(this.#pausedState==!!dropWhilePaused)return;assert(!1,"cannot change pause type; resume first","UNSUPPORTED_OPE\
RATION",{operation:"pause"})}this._forEachSubscriber(s=>s.pause(dropWhilePaused)),this.#pausedState=!!dropWhilePaused;for(let timer of this.#timers.
values())timer.timer&&clearTimeout(timer.timer),timer.time=getTime2()-timer.time}resume(){if(this.#pausedState!=null){this.
_forEachSubscriber(s=>s.resume()),this.#pausedState=null;for(let timer of this.#timers.values()){let timeout=timer.time;
timeout<0&&(timeout=0),timer.time=getTime2(),setTimeout(timer.func,timeout)}}}};function _parseString(result,start){try{
let bytes2=_parseBytes(result,start);if(bytes2)return toUtf8String(bytes2)}catch{}return null}__name(_parseString,"_pars\
eString");function _parseBytes(result,start){if(result==="0x")return null;try{let offset=getNumber(dataSlice(result,start,
start+32)),length=getNumber(dataSlice(result,offset,offset+32));return dataSlice(result,offset+32,offset+32+length)}catch{}
return null}__name(_parseBytes,"_parseBytes");function numPad(value){let result=toBeArray(value);if(result.length>32)throw new Error(
"internal; should not happen");let padded=new Uint8Array(32);return padded.set(result,32-result.length),padded}__name(numPad,
"numPad");function bytesPad(value){if(value.length%32===0)return value;let result=new Uint8Array(Math.ceil(value.length/
32)*32);return result.set(value),result}__name(bytesPad,"bytesPad");var empty=new Uint8Array([]);function encodeBytes(datas){
let result=[],byteCount=0;for(let i=0;i<datas.length;i++)result.push(empty),byteCount+=32;for(let i=0;i<datas.length;i++){
let data=getBytes(datas[i]);result[i]=numPad(byteCount),result.push(numPad(data.length)),result.push(bytesPad(data)),byteCount+=
32+Math.ceil(data.length/32)*32}return concat(result)}__name(encodeBytes,"encodeBytes");var zeros="0x0000000000000000000\
000000000000000000000000000000000000000000000";function parseOffchainLookup(data){let result={sender:"",urls:[],calldata:"",
selector:"",extraData:"",errorArgs:[]};assert(dataLength(data)>=160,"insufficient OffchainLookup data","OFFCHAIN_FAULT",
{reason:"insufficient OffchainLookup data"});let sender=dataSlice(data,0,32);assert(dataSlice(sender,0,12)===dataSlice(zeros,
0,12),"corrupt OffchainLookup sender","OFFCHAIN_FAULT",{reason:"corrupt OffchainLookup sender"}),result.sender=dataSlice(
sender,12);try{let urls=[],urlsOffset=getNumber(dataSlice(data,32,64)),urlsLength=getNumber(dataSlice(data,urlsOffset,urlsOffset+
32)),urlsData=dataSlice(data,urlsOffset+32);for(let u=0;u<urlsLength;u++){let url=_parseString(urlsData,u*32);if(url==null)
throw new Error("abort");urls.push(url)}result.urls=urls}catch{assert(!1,"corrupt OffchainLookup urls","OFFCHAIN_FAULT",
{reason:"corrupt OffchainLookup urls"})}try{let calldata=_parseBytes(data,64);if(calldata==null)throw new Error("abort");
result.calldata=calldata}catch{assert(!1,"corrupt OffchainLookup calldata","OFFCHAIN_FAULT",{reason:"corrupt OffchainLoo\
kup calldata"})}assert(dataSlice(data,100,128)===dataSlice(zeros,0,28),"corrupt OffchainLookup callbaackSelector","OFFCH\
AIN_FAULT",{reason:"corrupt OffchainLookup callbaackSelector"}),result.selector=dataSlice(data,96,100);try{let extraData=_parseBytes(
data,128);if(extraData==null)throw new Error("abort");result.extraData=extraData}catch{assert(!1,"corrupt OffchainLookup\
 extraData","OFFCHAIN_FAULT",{reason:"corrupt OffchainLookup extraData"})}return result.errorArgs="sender,urls,calldata,\
selector,extraData".split(/,/).map(k=>result[k]),result}__name(parseOffchainLookup,"parseOffchainLookup");function checkProvider(signer,operation){if(signer.provider)return signer.provider;assert(!1,"missing provider","UNSUPPO\
RTED_OPERATION",{operation})}__name(checkProvider,"checkProvider");async function populate(signer,tx){let pop=copyRequest(
tx);if(pop.to!=null&&(pop.to=resolveAddress(pop.to,signer)),pop.from!=null){let from=pop.from;pop.from=Promise.all([signer.
getAddress(),resolveAddress(from,signer)]).then(([address,from2])=>(assertArgument(address.toLowerCase()===from2.toLowerCase(),
"transaction from mismatch","tx.from",from2),address))}else pop.from=signer.getAddress();return await resolveProperties(
pop)}__name(populate,"populate");var AbstractSigner=class{static{__name(this,"AbstractSigner")}provider;constructor(provider){
defineProperties(this,{provider:provider||null})}async getNonce(blockTag){return checkProvider(this,"getTransactionCount").
getTransactionCount(await this.getAddress(),blockTag)}async populateCall(tx){return await populate(this,tx)}async populateTransaction(tx){
let provider=checkProvider(this,"populateTransaction"),pop=await populate(this,tx);pop.nonce==null&&(pop.nonce=await this.
getNonce("pending")),pop.gasLimit==null&&(pop.gasLimit=await this.estimateGas(pop));let network=await this.provider.getNetwork();
if(pop.chainId!=null){let chainId=getBigInt(pop.chainId);assertArgument(chainId===network.chainId,"transaction chainId m\
ismatch","tx.chainId",tx.chainId)}else pop.chainId=network.chainId;let hasEip1559=pop.maxFeePerGas!=null||pop.maxPriorityFeePerGas!=
null;if(pop.gasPrice!=null&&(pop.type===2||hasEip1559)?assertArgument(!1,"eip-1559 transaction do not support gasPrice",
"tx",tx):(pop.type===0||pop.type===1)&&hasEip1559&&assertArgument(!1,"pre-eip-1559 transaction do not support maxFeePerG\
as/maxPriorityFeePerGas","tx",tx),(pop.type===2||pop.type==null)&&pop.maxFeePerGas!=null&&pop.maxPriorityFeePerGas!=null)
pop.type=2;else if(pop.type===0||pop.type===1){let feeData=await provider.getFeeData();assert(feeData.gasPrice!=null,"ne\
twork does not support gasPrice","UNSUPPORTED_OPERATION",{operation:"getGasPrice"}),pop.gasPrice==null&&(pop.gasPrice=feeData.
gasPrice)}else{let feeData=await provider.getFeeData();if(pop.type==null)if(feeData.maxFeePerGas!=null&&feeData.maxPriorityFeePerGas!=
null)if(pop.authorizationList&&pop.authorizationList.length?pop.type=4:pop.type=2,pop.gasPrice!=null){let gasPrice=pop.gasPrice;
delete pop.gasPrice,pop.maxFeePerGas=gasPrice,pop.maxPriorityFeePerGas=gasPrice}else pop.maxFeePerGas==null&&(pop.maxFeePerGas=
feeData.maxFeePerGas),pop.maxPriorityFeePerGas==null&&(pop.maxPriorityFeePerGas=feeData.maxPriorityFeePerGas);else feeData.
gasPrice!=null?(assert(!hasEip1559,"network does not support EIP-1559","UNSUPPORTED_OPERATION",{operation:"populateTrans\
action"}),pop.gasPrice==null&&(pop.gasPrice=feeData.gasPrice),pop.type=0):assert(!1,"failed to get consistent fee data",
"UNSUPPORTED_OPERATION",{operation:"signer.getFeeData"});else(pop.type===2||pop.type===3||pop.type===4)&&(pop.maxFeePerGas==
null&&(pop.maxFeePerGas=feeData.maxFeePerGas),pop.maxPriorityFeePerGas==null&&(pop.maxPriorityFeePerGas=feeData.maxPriorityFeePerGas))}
return await resolveProperties(pop)}async populateAuthorization(_auth){let auth=Object.assign({},_auth);return auth.chainId==
null&&(auth.chainId=(await checkProvider(this,"getNetwork").getNetwork()).chainId),auth.nonce==null&&(auth.nonce=await this.
getNonce()),auth}async estimateGas(tx){return checkProvider(this,"estimateGas").estimateGas(await this.populateCall(tx))}async call(tx){
return checkProvider(this,"call").call(await this.populateCall(tx))}async resolveName(name){return await checkProvider(this,
"resolveName").resolveName(name)}async sendTransaction(tx){let provider=checkProvider(this,"sendTransaction"),pop=await this.
populateTransaction(tx);delete pop.from;let txObj=Transaction.from(pop);return await provider.broadcastTransaction(await this.
signTransaction(txObj))}authorize(authorization){assert(!1,"authorization not implemented for this signer","UNSUPPORTED_\
OPERATION",{operation:"authorize"})}},VoidSigner=class _VoidSigner extends AbstractSigner{static{__name(this,"VoidSigner")}address;constructor(address,provider){
super(provider),defineProperties(this,{address})}async getAddress(){return this.address}connect(provider){return new _VoidSigner(
this.address,provider)}#throwUnsupported(suffix,operation){assert(!1,`VoidSigner cannot sign ${suffix}`,"UNSUPPORTED_OPE\
RATION",{operation})}async signTransaction(tx){this.#throwUnsupported("transactions","signTransaction")}async signMessage(message){
this.#throwUnsupported("messages","signMessage")}async signTypedData(domain,types,value){this.#throwUnsupported("typed-d\
ata","signTypedData")}};var shown=new Set;function showThrottleMessage(service){shown.has(service)||(shown.add(service),console.log("========= N\
OTICE ========="),console.log(`Request-Rate Exceeded for ${service} (this message will not be repeated)`),console.log(""),
console.log("The default API keys for each service are provided as a highly-throttled,"),console.log("community resource\
 for low-traffic projects and early prototyping."),console.log(""),console.log("While your application will continue to \
function, we highly recommended"),console.log("signing up for your own API keys to improve performance, increase your"),
console.log("request rate/limit and enable other perks, such as metrics and advanced APIs."),console.log(""),console.log(
"For more details: https://docs.ethers.org/api-keys/"),console.log("=========================="))}__name(showThrottleMessage,
"showThrottleMessage");function copy3(obj){return JSON.parse(JSON.stringify(obj))}__name(copy3,"copy");var FilterIdSubscriber=class{static{__name(
this,"FilterIdSubscriber")}#provider;#filterIdPromise;#poller;#running;#network;#hault;constructor(provider){this.#provider=
provider,this.#filterIdPromise=null,this.#poller=this.#poll.bind(this),this.#running=!1,this.#network=null,this.#hault=!1}_subscribe(provider){
throw new Error("subclasses must override this")}_emitResults(provider,result){throw new Error("subclasses must override\
 this")}_recover(provider){throw new Error("subclasses must override this")}async#poll(blockNumber){try{this.#filterIdPromise==
null&&(this.#filterIdPromise=this._subscribe(this.#provider));let filterId=null;try{filterId=await this.#filterIdPromise}catch(error){
if(!isError(error,"UNSUPPORTED_OPERATION")||error.operation!=="eth_newFilter")throw error}if(filterId==null){this.#filterIdPromise=
null,this.#provider._recoverSubscriber(this,this._recover(this.#provider));return}let network=await this.#provider.getNetwork();
if(this.#network||(this.#network=network),this.#network.chainId!==network.chainId)throw new Error("chaid changed");if(this.#hault)
return;let result=await this.#provider.send("eth_getFilterChanges",[filterId]);await this._emitResults(this.#provider,result)}catch(error){
console.log("@TODO",error)}this.#provider.once("block",this.#poller)}#teardown(){let filterIdPromise=this.#filterIdPromise;
filterIdPromise&&(this.#filterIdPromise=null,filterIdPromise.then(filterId=>{this.#provider.destroyed||this.#provider.send(
"eth_uninstallFilter",[filterId])}))}start(){this.#running||(this.#running=!0,this.#poll(-2))}stop(){this.#running&&(this.#running=
!1,this.#hault=!0,this.#teardown(),this.#provider.off("block",this.#poller))}pause(dropWhilePaused){dropWhilePaused&&this.#teardown(),
this.#provider.off("block",this.#poller)}resume(){this.start()}},FilterIdEventSubscriber=class extends FilterIdSubscriber{static{
__name(this,"FilterIdEventSubscriber")}#event;constructor(provider,filter){super(provider),this.#event=copy3(filter)}_recover(provider){
return new PollingEventSubscriber(provider,this.#event)}async _subscribe(provider){return await provider.send("eth_newFi\
lter",[this.#event])}async _emitResults(provider,results){for(let result of results)provider.emit(this.#event,provider._wrapLog(
result,provider._network))}},FilterIdPendingSubscriber=class extends FilterIdSubscriber{static{__name(this,"FilterIdPend\
ingSubscriber")}async _subscribe(provider){return await provider.send("eth_newPendingTransactionFilter",[])}async _emitResults(provider,results){
for(let result of results)provider.emit("pending",result)}};var Primitive="bigint,boolean,function,number,string,symbol".split(/,/g);function deepCopy(value){if(value==null||Primitive.
indexOf(typeof value)>=0||typeof value.getAddress=="function")return value;if(Array.isArray(value))return value.map(deepCopy);
if(typeof value=="object")return Object.keys(value).reduce((accum,key)=>(accum[key]=value[key],accum),{});throw new Error(
`should not happen: ${value} (${typeof value})`)}__name(deepCopy,"deepCopy");function stall2(duration){return new Promise(
resolve=>{setTimeout(resolve,duration)})}__name(stall2,"stall");function getLowerCase(value){return value&&value.toLowerCase()}
__name(getLowerCase,"getLowerCase");function isPollable(value){return value&&typeof value.pollingInterval=="number"}__name(
isPollable,"isPollable");var defaultOptions2={polling:!1,staticNetwork:null,batchStallTime:10,batchMaxSize:1<<20,batchMaxCount:100,
cacheTimeout:250,pollingInterval:4e3},JsonRpcSigner=class extends AbstractSigner{static{__name(this,"JsonRpcSigner")}address;constructor(provider,address){
super(provider),address=getAddress(address),defineProperties(this,{address})}connect(provider){assert(!1,"cannot reconne\
ct JsonRpcSigner","UNSUPPORTED_OPERATION",{operation:"signer.connect"})}async getAddress(){return this.address}async populateTransaction(tx){
return await this.populateCall(tx)}async sendUncheckedTransaction(_tx){let tx=deepCopy(_tx),promises=[];if(tx.from){let _from=tx.
from;promises.push((async()=>{let from=await resolveAddress(_from,this.provider);assertArgument(from!=null&&from.toLowerCase()===
this.address.toLowerCase(),"from address mismatch","transaction",_tx),tx.from=from})())}else tx.from=this.address;if(tx.
gasLimit==null&&promises.push((async()=>{tx.gasLimit=await this.provider.estimateGas({...tx,from:this.address})})()),tx.
to!=null){let _to=tx.to;promises.push((async()=>{tx.to=await resolveAddress(_to,this.provider)})())}promises.length&&await Promise.
all(promises);let hexTx=this.provider.getRpcTransaction(tx);return this.provider.send("eth_sendTransaction",[hexTx])}async sendTransaction(tx){
let blockNumber=await this.provider.getBlockNumber(),hash3=await this.sendUncheckedTransaction(tx);return await new Promise(
(resolve,reject)=>{let timeouts=[1e3,100],invalids=0,checkTx=__name(async()=>{try{let tx2=await this.provider.getTransaction(
hash3);if(tx2!=null){resolve(tx2.replaceableTransaction(blockNumber));return}}catch(error){if(isError(error,"CANCELLED")||
isError(error,"BAD_DATA")||isError(error,"NETWORK_ERROR")||isError(error,"UNSUPPORTED_OPERATION")){error.info==null&&(error.
info={}),error.info.sendTransactionHash=hash3,reject(error);return}if(isError(error,"INVALID_ARGUMENT")&&(invalids++,error.
info==null&&(error.info={}),error.info.sendTransactionHash=hash3,invalids>10)){reject(error);return}this.provider.emit("\
error",makeError("failed to fetch transation after sending (will try again)","UNKNOWN_ERROR",{error}))}this.provider._setTimeout(
()=>{checkTx()},timeouts.pop()||4e3)},"checkTx");checkTx()})}async signTransaction(_tx){let tx=deepCopy(_tx);if(tx.from){
let from=await resolveAddress(tx.from,this.provider);assertArgument(from!=null&&from.toLowerCase()===this.address.toLowerCase(),
"from address mismatch","transaction",_tx),tx.from=from}else tx.from=this.address;let hexTx=this.provider.getRpcTransaction(
tx);return await this.provider.send("eth_signTransaction",[hexTx])}async signMessage(_message){let message=typeof _message==
"string"?toUtf8Bytes(_message):_message;return await this.provider.send("personal_sign",[hexlify(message),this.address.toLowerCase()])}async signTypedData(domain,types,_value){
let value=deepCopy(_value),populated=await TypedDataEncoder.resolveNames(domain,types,value,async value2=>{let address=await resolveAddress(
value2);return assertArgument(address!=null,"TypedData does not support null address","value",value2),address});return await this.
provider.send("eth_signTypedData_v4",[this.address.toLowerCase(),JSON.stringify(TypedDataEncoder.getPayload(populated.domain,
types,populated.value))])}async unlock(password){return this.provider.send("personal_unlockAccount",[this.address.toLowerCase(),
password,null])}async _legacySignMessage(_message){let message=typeof _message=="string"?toUtf8Bytes(_message):_message;
return await this.provider.send("eth_sign",[this.address.toLowerCase(),hexlify(message)])}},JsonRpcApiProvider=class extends AbstractProvider{static{
__name(this,"JsonRpcApiProvider")}#options;#nextId;#payloads;#drainTimer;#notReady;#network;#pendingDetectNetwork;#scheduleDrain(){
if(this.#drainTimer)return;let stallTime=this._getOption("batchMaxCount")===1?0:this._getOption("batchStallTime");this.#drainTimer=
setTimeout(()=>{this.#drainTimer=null;let payloads=this.#payloads;for(this.#payloads=[];payloads.length;){let batch=[payloads.
shift()];for(;payloads.length&&batch.length!==this.#options.batchMaxCount;)if(batch.push(payloads.shift()),JSON.stringify(
batch.map(p=>p.payload)).length>this.#options.batchMaxSize){payloads.unshift(batch.pop());break}(async()=>{let payload=batch.
length===1?batch[0].payload:batch.map(p=>p.payload);this.emit("debug",{action:"sendRpcPayload",payload});try{let result=await this.
_send(payload);this.emit("debug",{action:"receiveRpcResult",result});for(let{resolve,reject,payload:payload2}of batch){if(this.
destroyed){reject(makeError("provider destroyed; cancelled request","UNSUPPORTED_OPERATION",{operation:payload2.method}));
continue}let resp=result.filter(r=>r.id===payload2.id)[0];if(resp==null){let error=makeError("missing response for reque\
st","BAD_DATA",{value:result,info:{payload:payload2}});this.emit("error",error),reject(error);continue}if("error"in resp){
reject(this.getRpcError(payload2,resp));continue}resolve(resp.result)}}catch(error){this.emit("debug",{action:"receiveRp\
cError",error});for(let{reject}of batch)reject(error)}})()}},stallTime)}constructor(network,options){super(network,options),
this.#nextId=1,this.#options=Object.assign({},defaultOptions2,options||{}),this.#payloads=[],this.#drainTimer=null,this.#network=
null,this.#pendingDetectNetwork=null;{let resolve=null,promise=new Promise(_resolve=>{resolve=_resolve});this.#notReady=
{promise,resolve}}let staticNetwork=this._getOption("staticNetwork");typeof staticNetwork=="boolean"?(assertArgument(!staticNetwork||
network!=="any","staticNetwork cannot be used on special network 'any'","options",options),staticNetwork&&network!=null&&
(this.#network=Network.from(network))):staticNetwork&&(assertArgument(network==null||staticNetwork.matches(network),"sta\
ticNetwork MUST match network object","options",options),this.#network=staticNetwork)}_getOption(key){return this.#options[key]}get _network(){
return assert(this.#network,"network is not available yet","NETWORK_ERROR"),this.#network}async _perform(req){if(req.method===
"call"||req.method==="estimateGas"){let tx=req.transaction;if(tx&&tx.type!=null&&getBigInt(tx.type)&&tx.maxFeePerGas==null&&
tx.maxPriorityFeePerGas==null){let feeData=await this.getFeeData();feeData.maxFeePerGas==null&&feeData.maxPriorityFeePerGas==
null&&(req=Object.assign({},req,{transaction:Object.assign({},tx,{type:void 0})}))}}let request=this.getRpcRequest(req);
return request!=null?await this.send(request.method,request.args):super._perform(req)}async _detectNetwork(){let network=this.
_getOption("staticNetwork");if(network)if(network===!0){if(this.#network)return this.#network}else return network;return this.#pendingDetectNetwork?
await this.#pendingDetectNetwork:this.ready?(this.#pendingDetectNetwork=(async()=>{try{let result=Network.from(getBigInt(
await this.send("eth_chainId",[])));return this.#pendingDetectNetwork=null,result}catch(error){throw this.#pendingDetectNetwork=
null,error}})(),await this.#pendingDetectNetwork):(this.#pendingDetectNetwork=(async()=>{let payload={id:this.#nextId++,
method:"eth_chainId",params:[],jsonrpc:"2.0"};this.emit("debug",{action:"sendRpcPayload",payload});let result;try{result=
(await this._send(payload))[0],this.#pendingDetectNetwork=null}catch(error){throw this.#pendingDetectNetwork=null,this.emit(
"debug",{action:"receiveRpcError",error}),error}if(this.emit("debug",{action:"receiveRpcResult",result}),"result"in result)
return Network.from(getBigInt(result.result));throw this.getRpcError(payload,result)})(),await this.#pendingDetectNetwork)}_start(){
this.#notReady==null||this.#notReady.resolve==null||(this.#notReady.resolve(),this.#notReady=null,(async()=>{for(;this.#network==
null&&!this.destroyed;)try{this.#network=await this._detectNetwork()}catch(error){if(this.destroyed)break;console.log("J\
sonRpcProvider failed to detect network and cannot start up; retry in 1s (perhaps the URL is wrong or the node is not st\
arted)"),this.emit("error",makeError("failed to bootstrap network detection","NETWORK_ERROR",{event:"initial-network-dis\
covery",info:{error}})),await stall2(1e3)}this.#scheduleDrain()})())}async _waitUntilReady(){if(this.#notReady!=null)return await this.#notReady.
promise}_getSubscriber(sub){return sub.type==="pending"?new FilterIdPendingSubscriber(this):sub.type==="event"?this._getOption(
"polling")?new PollingEventSubscriber(this,sub.filter):new FilterIdEventSubscriber(this,sub.filter):sub.type==="orphan"&&
sub.filter.orphan==="drop-log"?new UnmanagedSubscriber("orphan"):super._getSubscriber(sub)}get ready(){return this.#notReady==
null}getRpcTransaction(tx){let result={};return["chainId","gasLimit","gasPrice","type","maxFeePerGas","maxPriorityFeePer\
Gas","nonce","value"].forEach(key=>{if(tx[key]==null)return;let dstKey=key;key==="gasLimit"&&(dstKey="gas"),result[dstKey]=
toQuantity(getBigInt(tx[key],`tx.${key}`))}),["from","to","data"].forEach(key=>{tx[key]!=null&&(result[key]=hexlify(tx[key]))}),
tx.accessList&&(result.accessList=accessListify(tx.accessList)),tx.blobVersionedHashes&&(result.blobVersionedHashes=tx.blobVersionedHashes.
map(h=>h.toLowerCase())),tx.authorizationList&&(result.authorizationList=tx.authorizationList.map(_a=>{let a=authorizationify(
_a);return{address:a.address,nonce:toQuantity(a.nonce),chainId:toQuantity(a.chainId),yParity:toQuantity(a.signature.yParity),
r:toQuantity(a.signature.r),s:toQuantity(a.signature.s)}})),result}getRpcRequest(req){switch(req.method){case"chainId":return{
method:"eth_chainId",args:[]};case"getBlockNumber":return{method:"eth_blockNumber",args:[]};case"getGasPrice":return{method:"\
eth_gasPrice",args:[]};case"getPriorityFee":return{method:"eth_maxPriorityFeePerGas",args:[]};case"getBalance":return{method:"\
eth_getBalance",args:[getLowerCase(req.address),req.blockTag]};case"getTransactionCount":return{method:"eth_getTransacti\
onCount",args:[getLowerCase(req.address),req.blockTag]};case"getCode":return{method:"eth_getCode",args:[getLowerCase(req.
address),req.blockTag]};case"getStorage":return{method:"eth_getStorageAt",args:[getLowerCase(req.address),"0x"+req.position.
toString(16),req.blockTag]};case"broadcastTransaction":return{method:"eth_sendRawTransaction",args:[req.signedTransaction]};case"\
getBlock":if("blockTag"in req)return{method:"eth_getBlockByNumber",args:[req.blockTag,!!req.includeTransactions]};if("bl\
ockHash"in req)return{method:"eth_getBlockByHash",args:[req.blockHash,!!req.includeTransactions]};break;case"getTransact\
ion":return{method:"eth_getTransactionByHash",args:[req.hash]};case"getTransactionReceipt":return{method:"eth_getTransac\
tionReceipt",args:[req.hash]};case"call":return{method:"eth_call",args:[this.getRpcTransaction(req.transaction),req.blockTag]};case"\
estimateGas":return{method:"eth_estimateGas",args:[this.getRpcTransaction(req.transaction)]};case"getLogs":return req.filter&&
req.filter.address!=null&&(Array.isArray(req.filter.address)?req.filter.address=req.filter.address.map(getLowerCase):req.
filter.address=getLowerCase(req.filter.address)),{method:"eth_getLogs",args:[req.filter]}}return null}getRpcError(payload,_error){
let{method}=payload,{error}=_error;if(method==="eth_estimateGas"&&error.message){let msg=error.message;if(!msg.match(/revert/i)&&
msg.match(/insufficient funds/i))return makeError("insufficient funds","INSUFFICIENT_FUNDS",{transaction:payload.params[0],
info:{payload,error}});if(msg.match(/nonce/i)&&msg.match(/too low/i))return makeError("nonce has already been used","NON\
CE_EXPIRED",{transaction:payload.params[0],info:{payload,error}})}if(method==="eth_call"||method==="eth_estimateGas"){let result=spelunkData(
error),e=AbiCoder.getBuiltinCallException(method==="eth_call"?"call":"estimateGas",payload.params[0],result?result.data:
null);return e.info={error,payload},e}let message=JSON.stringify(spelunkMessage(error));if(typeof error.message=="string"&&
error.message.match(/user denied|ethers-user-denied/i))return makeError("user rejected action","ACTION_REJECTED",{action:{
eth_sign:"signMessage",personal_sign:"signMessage",eth_signTypedData_v4:"signTypedData",eth_signTransaction:"signTransac\
tion",eth_sendTransaction:"sendTransaction",eth_requestAccounts:"requestAccess",wallet_requestAccounts:"requestAccess"}[method]||
"unknown",reason:"rejected",info:{payload,error}});if(method==="eth_sendRawTransaction"||method==="eth_sendTransaction"){
let transaction=payload.params[0];if(message.match(/insufficient funds|base fee exceeds gas limit/i))return makeError("i\
nsufficient funds for intrinsic transaction cost","INSUFFICIENT_FUNDS",{transaction,info:{error}});if(message.match(/nonce/i)&&
message.match(/too low/i))return makeError("nonce has already been used","NONCE_EXPIRED",{transaction,info:{error}});if(message.
match(/replacement transaction/i)&&message.match(/underpriced/i))return makeError("replacement fee too low","REPLACEMENT\
_UNDERPRICED",{transaction,info:{error}});if(message.match(/only replay-protected/i))return makeError("legacy pre-eip-15\
5 transactions not supported","UNSUPPORTED_OPERATION",{operation:method,info:{transaction,info:{error}}})}let unsupported=!!message.
match(/the method .* does not exist/i);return unsupported||error&&error.details&&error.details.startsWith("Unauthorized \
method:")&&(unsupported=!0),unsupported?makeError("unsupported operation","UNSUPPORTED_OPERATION",{operation:payload.method,
info:{error,payload}}):makeError("could not coalesce error","UNKNOWN_ERROR",{error,payload})}send(method,params){if(this.
destroyed)return Promise.reject(makeError("provider destroyed; cancelled request","UNSUPPORTED_OPERATION",{operation:method}));
let id2=this.#nextId++,promise=new Promise((resolve,reject)=>{this.#payloads.push({resolve,reject,payload:{method,params,
id:id2,jsonrpc:"2.0"}})});return this.#scheduleDrain(),promise}async getSigner(address){address==null&&(address=0);let accountsPromise=this.
send("eth_accounts",[]);if(typeof address=="number"){let accounts2=await accountsPromise;if(address>=accounts2.length)throw new Error(
"no such account");return new JsonRpcSigner(this,accounts2[address])}let{accounts}=await resolveProperties({network:this.
getNetwork(),accounts:accountsPromise});address=getAddress(address);for(let account of accounts)if(getAddress(account)===
address)return new JsonRpcSigner(this,address);throw new Error("invalid account")}async listAccounts(){return(await this.
send("eth_accounts",[])).map(a=>new JsonRpcSigner(this,a))}destroy(){this.#drainTimer&&(clearTimeout(this.#drainTimer),this.#drainTimer=
null);for(let{payload,reject}of this.#payloads)reject(makeError("provider destroyed; cancelled request","UNSUPPORTED_OPE\
RATION",{operation:payload.method}));this.#payloads=[],super.destroy()}},JsonRpcApiPollingProvider=class extends JsonRpcApiProvider{static{
__name(this,"JsonRpcApiPollingProvider")}#pollingInterval;constructor(network,options){super(network,options);let pollingInterval=this.
_getOption("pollingInterval");pollingInterval==null&&(pollingInterval=defaultOptions2.pollingInterval),this.#pollingInterval=
pollingInterval}_getSubscriber(sub){let subscriber=super._getSubscriber(sub);return isPollable(subscriber)&&(subscriber.
pollingInterval=this.#pollingInterval),subscriber}get pollingInterval(){return this.#pollingInterval}set pollingInterval(value){
if(!Number.isInteger(value)||value<0)throw new Error("invalid interval");this.#pollingInterval=value,this._forEachSubscriber(
sub=>{isPollable(sub)&&(sub.pollingInterval=this.#pollingInterval)})}},JsonRpcProvider=class extends JsonRpcApiPollingProvider{static{
__name(this,"JsonRpcProvider")}#connect;constructor(url,network,options){url==null&&(url="http://localhost:8545"),super(
network,options),typeof url=="string"?this.#connect=new FetchRequest(url):this.#connect=url.clone()}_getConnection(){return this.#connect.
clone()}async send(method,params){return await this._start(),await super.send(method,params)}async _send(payload){let request=this.
_getConnection();request.body=JSON.stringify(payload),request.setHeader("content-type","application/json");let response=await request.
send();response.assertOk();let resp=response.bodyJson;return Array.isArray(resp)||(resp=[resp]),resp}};function spelunkData(value){
if(value==null)return null;if(typeof value.message=="string"&&value.message.match(/revert/i)&&isHexString(value.data))return{
message:value.message,data:value.data};if(typeof value=="object"){for(let key in value){let result=spelunkData(value[key]);
if(result)return result}return null}if(typeof value=="string")try{return spelunkData(JSON.parse(value))}catch{}return null}
__name(spelunkData,"spelunkData");function _spelunkMessage(value,result){if(value!=null){if(typeof value.message=="strin\
g"&&result.push(value.message),typeof value=="object")for(let key in value)_spelunkMessage(value[key],result);if(typeof value==
"string")try{return _spelunkMessage(JSON.parse(value),result)}catch{}}}__name(_spelunkMessage,"_spelunkMessage");function spelunkMessage(value){
let result=[];return _spelunkMessage(value,result),result}__name(spelunkMessage,"spelunkMessage");var defaultApiKey="9f7d929b018cdffb338517efa06f58359e86ff1ffd350bc889738523659e7972";function getHost(name){switch(name){case"\
mainnet":return"rpc.ankr.com/eth";case"goerli":return"rpc.ankr.com/eth_goerli";case"sepolia":return"rpc.ankr.com/eth_sep\
olia";case"arbitrum":return"rpc.ankr.com/arbitrum";case"base":return"rpc.ankr.com/base";case"base-goerli":return"rpc.ank\
r.com/base_goerli";case"base-sepolia":return"rpc.ankr.com/base_sepolia";case"bnb":return"rpc.ankr.com/bsc";case"bnbt":return"\
rpc.ankr.com/bsc_testnet_chapel";case"filecoin":return"rpc.ankr.com/filecoin";case"filecoin-calibration":return"rpc.ankr\
.com/filecoin_testnet";case"matic":return"rpc.ankr.com/polygon";case"matic-mumbai":return"rpc.ankr.com/polygon_mumbai";case"\
optimism":return"rpc.ankr.com/optimism";case"optimism-goerli":return"rpc.ankr.com/optimism_testnet";case"optimism-sepoli\
a":return"rpc.ankr.com/optimism_sepolia"}assertArgument(!1,"unsupported network","network",name)}__name(getHost,"getHost");
var AnkrProvider=class _AnkrProvider extends JsonRpcProvider{static{__name(this,"AnkrProvider")}apiKey;constructor(_network,apiKey){
_network==null&&(_network="mainnet");let network=Network.from(_network);apiKey==null&&(apiKey=defaultApiKey);let options={
polling:!0,staticNetwork:network},request=_AnkrProvider.getRequest(network,apiKey);super(request,network,options),defineProperties(
this,{apiKey})}_getProvider(chainId){try{return new _AnkrProvider(chainId,this.apiKey)}catch{}return super._getProvider(
chainId)}static getRequest(network,apiKey){apiKey==null&&(apiKey=defaultApiKey);let request=new FetchRequest(`https://${getHost(
network.name)}/${apiKey}`);return request.allowGzip=!0,apiKey===defaultApiKey&&(request.retryFunc=async(request2,response,attempt)=>(showThrottleMessage(
"AnkrProvider"),!0)),request}getRpcError(payload,error){return payload.method==="eth_sendRawTransaction"&&error&&error.error&&
error.error.message==="INTERNAL_ERROR: could not replace existing tx"&&(error.error.message="replacement transaction und\
erpriced"),super.getRpcError(payload,error)}isCommunityResource(){return this.apiKey===defaultApiKey}};var defaultApiKey2="_gg7wSSi0KMBsdKnGVfHDueq6xMB9EkC";function getHost2(name){switch(name){case"mainnet":return"eth-main\
net.g.alchemy.com";case"goerli":return"eth-goerli.g.alchemy.com";case"sepolia":return"eth-sepolia.g.alchemy.com";case"ar\
bitrum":return"arb-mainnet.g.alchemy.com";case"arbitrum-goerli":return"arb-goerli.g.alchemy.com";case"arbitrum-sepolia":
return"arb-sepolia.g.alchemy.com";case"base":return"base-mainnet.g.alchemy.com";case"base-goerli":return"base-goerli.g.a\
lchemy.com";case"base-sepolia":return"base-sepolia.g.alchemy.com";case"bnb":return"bnb-mainnet.g.alchemy.com";case"bnbt":
return"bnb-testnet.g.alchemy.com";case"matic":return"polygon-mainnet.g.alchemy.com";case"matic-amoy":return"polygon-amoy\
.g.alchemy.com";case"matic-mumbai":return"polygon-mumbai.g.alchemy.com";case"optimism":return"opt-mainnet.g.alchemy.com";case"\
optimism-goerli":return"opt-goerli.g.alchemy.com";case"optimism-sepolia":return"opt-sepolia.g.alchemy.com"}assertArgument(
!1,"unsupported network","network",name)}__name(getHost2,"getHost");var AlchemyProvider=class _AlchemyProvider extends JsonRpcProvider{static{
__name(this,"AlchemyProvider")}apiKey;constructor(_network,apiKey){_network==null&&(_network="mainnet");let network=Network.
from(_network);apiKey==null&&(apiKey=defaultApiKey2);let request=_AlchemyProvider.getRequest(network,apiKey);super(request,
network,{staticNetwork:network}),defineProperties(this,{apiKey})}_getProvider(chainId){try{return new _AlchemyProvider(chainId,
this.apiKey)}catch{}return super._getProvider(chainId)}async _perform(req){if(req.method==="getTransactionResult"){let{trace,
tx}=await resolveProperties({trace:this.send("trace_transaction",[req.hash]),tx:this.getTransaction(req.hash)});if(trace==
null||tx==null)return null;let data,error=!1;try{data=trace[0].result.output,error=trace[0].error==="Reverted"}catch{}if(data)
return assert(!error,"an error occurred during transaction executions","CALL_EXCEPTION",{action:"getTransactionResult",data,
reason:null,transaction:tx,invocation:null,revert:null}),data;assert(!1,"could not parse trace result","BAD_DATA",{value:trace})}
return await super._perform(req)}isCommunityResource(){return this.apiKey===defaultApiKey2}static getRequest(network,apiKey){
apiKey==null&&(apiKey=defaultApiKey2);let request=new FetchRequest(`https://${getHost2(network.name)}/v2/${apiKey}`);return request.
allowGzip=!0,apiKey===defaultApiKey2&&(request.retryFunc=async(request2,response,attempt)=>(showThrottleMessage("alchemy"),
!0)),request}};function getApiKey(name){switch(name){case"mainnet":return"39f1d67cedf8b7831010a665328c9197";case"arbitrum":return"0550c\
209db33c3abf4cc927e1e18cea1";case"bnb":return"98b5a77e531614387366f6fc5da097f8";case"matic":return"cd9d4d70377471aa7c142\
ec4a4205249"}assertArgument(!1,"unsupported network","network",name)}__name(getApiKey,"getApiKey");function getHost3(name){
switch(name){case"mainnet":return"ethereum-mainnet.core.chainstack.com";case"arbitrum":return"arbitrum-mainnet.core.chai\
nstack.com";case"bnb":return"bsc-mainnet.core.chainstack.com";case"matic":return"polygon-mainnet.core.chainstack.com"}assertArgument(
!1,"unsupported network","network",name)}__name(getHost3,"getHost");var ChainstackProvider=class _ChainstackProvider extends JsonRpcProvider{static{
__name(this,"ChainstackProvider")}apiKey;constructor(_network,apiKey){_network==null&&(_network="mainnet");let network=Network.
from(_network);apiKey==null&&(apiKey=getApiKey(network.name));let request=_ChainstackProvider.getRequest(network,apiKey);
super(request,network,{staticNetwork:network}),defineProperties(this,{apiKey})}_getProvider(chainId){try{return new _ChainstackProvider(
chainId,this.apiKey)}catch{}return super._getProvider(chainId)}isCommunityResource(){return this.apiKey===getApiKey(this.
_network.name)}static getRequest(network,apiKey){apiKey==null&&(apiKey=getApiKey(network.name));let request=new FetchRequest(
`https://${getHost3(network.name)}/${apiKey}`);return request.allowGzip=!0,apiKey===getApiKey(network.name)&&(request.retryFunc=
async(request2,response,attempt)=>(showThrottleMessage("ChainstackProvider"),!0)),request}};var CloudflareProvider=class extends JsonRpcProvider{static{__name(this,"CloudflareProvider")}constructor(_network){_network==
null&&(_network="mainnet");let network=Network.from(_network);assertArgument(network.name==="mainnet","unsupported netwo\
rk","network",_network),super("https://cloudflare-eth.com/",network,{staticNetwork:network})}};var Supported="1 11155111 17000 560048 2741 11124 33111 33139 42170 42161 421614 43114 43113 8453 84532 80069 80094 199 \
1029 81457 168587773 56 97 42220 11142220 252 2523 100 999 737373 747474 59144 59141 5000 5003 43521 143 10143 1287 1284\
 1285 10 11155420 204 5611 80002 137 534352 534351 1329 1328 146 14601 988 2201 1923 1924 167013 167000 130 1301 480 480\
1 51 50 324 300".split(/ /g),THROTTLE=2e3;function isPromise2(value){return value&&typeof value.then=="function"}__name(
isPromise2,"isPromise");var EtherscanPluginId="org.ethers.plugins.provider.Etherscan",EtherscanPlugin=class _EtherscanPlugin extends NetworkPlugin{static{
__name(this,"EtherscanPlugin")}baseUrl;constructor(baseUrl){super(EtherscanPluginId),defineProperties(this,{baseUrl})}clone(){
return new _EtherscanPlugin(this.baseUrl)}},skipKeys=["enableCcipRead"],nextId=1,EtherscanProvider=class extends AbstractProvider{static{
__name(this,"EtherscanProvider")}network;apiKey;#plugin;constructor(_network,_apiKey){let apiKey=_apiKey??null;super();let network=Network.
from(_network);assertArgument(Supported.indexOf(`${network.chainId}`)>=0,"unsupported network","network",network),this.#plugin=
network.getPlugin(EtherscanPluginId),defineProperties(this,{apiKey,network})}getBaseUrl(){if(this.#plugin)return this.#plugin.
baseUrl;switch(this.network.name){case"mainnet":return"https://api.etherscan.io";case"goerli":return"https://api-goerli.\
etherscan.io";case"sepolia":return"https://api-sepolia.etherscan.io";case"holesky":return"https://api-holesky.etherscan.\
io";case"arbitrum":return"https://api.arbiscan.io";case"arbitrum-goerli":return"https://api-goerli.arbiscan.io";case"bas\
e":return"https://api.basescan.org";case"base-sepolia":return"https://api-sepolia.basescan.org";case"bnb":return"https:/\
/api.bscscan.com";case"bnbt":return"https://api-testnet.bscscan.com";case"matic":return"https://api.polygonscan.com";case"\
matic-amoy":return"https://api-amoy.polygonscan.com";case"matic-mumbai":return"https://api-testnet.polygonscan.com";case"\
optimism":return"https://api-optimistic.etherscan.io";case"optimism-goerli":return"https://api-goerli-optimistic.ethersc\
an.io";default:}assertArgument(!1,"unsupported network","network",this.network)}getUrl(module,params){let query=Object.keys(
params).reduce((accum,key)=>{let value=params[key];return value!=null&&(accum+=`&${key}=${value}`),accum},"");return this.
apiKey&&(query+=`&apikey=${this.apiKey}`),`https://api.etherscan.io/v2/api?chainid=${this.network.chainId}&module=${module}${query}`}getPostUrl(){
return`https://api.etherscan.io/v2/api?chainid=${this.network.chainId}`}getPostData(module,params){return params.module=
module,params.apikey=this.apiKey,params.chainid=this.network.chainId,params}async detectNetwork(){return this.network}async fetch(module,params,post){
let id2=nextId++,url=post?this.getPostUrl():this.getUrl(module,params),payload=post?this.getPostData(module,params):null;
this.emit("debug",{action:"sendRequest",id:id2,url,payload});let request=new FetchRequest(url);request.setThrottleParams(
{slotInterval:1e3}),request.retryFunc=(req,resp,attempt)=>(this.isCommunityResource()&&showThrottleMessage("Etherscan"),
Promise.resolve(!0)),request.processFunc=async(request2,response2)=>{let result2=response2.hasBody()?JSON.parse(toUtf8String(
response2.body)):{},throttle=(typeof result2.result=="string"?result2.result:"").toLowerCase().indexOf("rate limit")>=0;
return module==="proxy"?result2&&result2.status==0&&result2.message=="NOTOK"&&throttle&&(this.emit("debug",{action:"rece\
iveError",id:id2,reason:"proxy-NOTOK",error:result2}),response2.throwThrottleError(result2.result,THROTTLE)):throttle&&(this.
emit("debug",{action:"receiveError",id:id2,reason:"null result",error:result2.result}),response2.throwThrottleError(result2.
result,THROTTLE)),response2},payload&&(request.setHeader("content-type","application/x-www-form-urlencoded; charset=UTF-\
8"),request.body=Object.keys(payload).map(k=>`${k}=${payload[k]}`).join("&"));let response=await request.send();try{response.
assertOk()}catch(error){this.emit("debug",{action:"receiveError",id:id2,error,reason:"assertOk"}),assert(!1,"response er\
ror","SERVER_ERROR",{request,response})}response.hasBody()||(this.emit("debug",{action:"receiveError",id:id2,error:"miss\
ing body",reason:"null body"}),assert(!1,"missing response","SERVER_ERROR",{request,response}));let result=JSON.parse(toUtf8String(
response.body));return module==="proxy"?(result.jsonrpc!="2.0"&&(this.emit("debug",{action:"receiveError",id:id2,result,
reason:"invalid JSON-RPC"}),assert(!1,"invalid JSON-RPC response (missing jsonrpc='2.0')","SERVER_ERROR",{request,response,
info:{result}})),result.error&&(this.emit("debug",{action:"receiveError",id:id2,result,reason:"JSON-RPC error"}),assert(
!1,"error response","SERVER_ERROR",{request,response,info:{result}})),this.emit("debug",{action:"receiveRequest",id:id2,
result}),result.result):result.status==0&&(result.message==="No records found"||result.message==="No transactions found")?
(this.emit("debug",{action:"receiveRequest",id:id2,result}),result.result):((result.status!=1||typeof result.message=="s\
tring"&&!result.message.match(/^OK/))&&(this.emit("debug",{action:"receiveError",id:id2,result}),assert(!1,"error respon\
se","SERVER_ERROR",{request,response,info:{result}})),this.emit("debug",{action:"receiveRequest",id:id2,result}),result.
result)}_getTransactionPostData(transaction){let result={};for(let key in transaction){if(skipKeys.indexOf(key)>=0||transaction[key]==
null)continue;let value=transaction[key];if(!(key==="type"&&value===0)&&!(key==="blockTag"&&value==="latest")){if({type:!0,
gasLimit:!0,gasPrice:!0,maxFeePerGas:!0,maxPriorityFeePerGas:!0,nonce:!0,value:!0}[key])value=toQuantity(value);else if(key===
"accessList")value="["+accessListify(value).map(set=>`{address:"${set.address}",storageKeys:["${set.storageKeys.join('",\
"')}"]}`).join(",")+"]";else if(key==="blobVersionedHashes"){if(value.length===0)continue;assert(!1,"Etherscan API does \
not support blobVersionedHashes","UNSUPPORTED_OPERATION",{operation:"_getTransactionPostData",info:{transaction}})}else value=
hexlify(value);result[key]=value}}return result}_checkError(req,error,transaction){let message="";if(isError(error,"SERV\
ER_ERROR")){try{message=error.info.result.error.message}catch{}if(!message)try{message=error.info.message}catch{}}if(req.
method==="estimateGas"&&!message.match(/revert/i)&&message.match(/insufficient funds/i)&&assert(!1,"insufficient funds",
"INSUFFICIENT_FUNDS",{transaction:req.transaction}),(req.method==="call"||req.method==="estimateGas")&&message.match(/execution reverted/i)){
let data="";try{data=error.info.result.error.data}catch{}let e=AbiCoder.getBuiltinCallException(req.method,req.transaction,
data);throw e.info={request:req,error},e}if(message&&req.method==="broadcastTransaction"){let transaction2=Transaction.from(
req.signedTransaction);message.match(/replacement/i)&&message.match(/underpriced/i)&&assert(!1,"replacement fee too low",
"REPLACEMENT_UNDERPRICED",{transaction:transaction2}),message.match(/insufficient funds/)&&assert(!1,"insufficient funds\
 for intrinsic transaction cost","INSUFFICIENT_FUNDS",{transaction:transaction2}),message.match(/same hash was already imported|transaction nonce is too low|nonce too low/)&&
assert(!1,"nonce has already been used","NONCE_EXPIRED",{transaction:transaction2})}throw error}async _detectNetwork(){return this.
network}async _perform(req){switch(req.method){case"chainId":return this.network.chainId;case"getBlockNumber":return this.
fetch("proxy",{action:"eth_blockNumber"});case"getGasPrice":return this.fetch("proxy",{action:"eth_gasPrice"});case"getP\
riorityFee":if(this.network.name==="mainnet")return"1000000000";if(this.network.name==="optimism")return"1000000";throw new Error(
"fallback onto the AbstractProvider default");case"getBalance":return this.fetch("account",{action:"balance",address:req.
address,tag:req.blockTag});case"getTransactionCount":return this.fetch("proxy",{action:"eth_getTransactionCount",address:req.
address,tag:req.blockTag});case"getCode":return this.fetch("proxy",{action:"eth_getCode",address:req.address,tag:req.blockTag});case"\
getStorage":return this.fetch("proxy",{action:"eth_getStorageAt",address:req.address,position:req.position,tag:req.blockTag});case"\
broadcastTransaction":return this.fetch("proxy",{action:"eth_sendRawTransaction",hex:req.signedTransaction},!0).catch(error=>this.
_checkError(req,error,req.signedTransaction));case"getBlock":if("blockTag"in req)return this.fetch("proxy",{action:"eth_\
getBlockByNumber",tag:req.blockTag,boolean:req.includeTransactions?"true":"false"});assert(!1,"getBlock by blockHash not\
 supported by Etherscan","UNSUPPORTED_OPERATION",{operation:"getBlock(blockHash)"});case"getTransaction":return this.fetch(
"proxy",{action:"eth_getTransactionByHash",txhash:req.hash});case"getTransactionReceipt":return this.fetch("proxy",{action:"\
eth_getTransactionReceipt",txhash:req.hash});case"call":{if(req.blockTag!=="latest")throw new Error("EtherscanProvider d\
oes not support blockTag for call");let postData=this._getTransactionPostData(req.transaction);postData.module="proxy",postData.
action="eth_call";try{return await this.fetch("proxy",postData,!0)}catch(error){return this._checkError(req,error,req.transaction)}}case"\
estimateGas":{let postData=this._getTransactionPostData(req.transaction);postData.module="proxy",postData.action="eth_es\
timateGas";try{return await this.fetch("proxy",postData,!0)}catch(error){return this._checkError(req,error,req.transaction)}}default:
break}return super._perform(req)}async getNetwork(){return this.network}async getEtherPrice(){return this.network.name!==
"mainnet"?0:parseFloat((await this.fetch("stats",{action:"ethprice"})).ethusd)}async getContract(_address){let address=this.
_getAddress(_address);isPromise2(address)&&(address=await address);try{let resp=await this.fetch("contract",{action:"get\
abi",address}),abi=JSON.parse(resp);return new Contract(address,abi,this)}catch{return null}}isCommunityResource(){return this.
apiKey==null}};function getGlobal2(){if(typeof globalThis<"u")return globalThis;if(typeof window<"u")return window;if(typeof globalThis<
"u")return globalThis;throw new Error("unable to locate global object")}__name(getGlobal2,"getGlobal");var _WebSocket=getGlobal2().
WebSocket;var SocketSubscriber=class{static{__name(this,"SocketSubscriber")}#provider;#filter;get filter(){return JSON.parse(this.#filter)}#filterId;#paused;#emitPromise;constructor(provider,filter){
this.#provider=provider,this.#filter=JSON.stringify(filter),this.#filterId=null,this.#paused=null,this.#emitPromise=null}start(){
this.#filterId=this.#provider.send("eth_subscribe",this.filter).then(filterId=>(this.#provider._register(filterId,this),
filterId))}stop(){this.#filterId.then(filterId=>{this.#provider.destroyed||this.#provider.send("eth_unsubscribe",[filterId])}),
this.#filterId=null}pause(dropWhilePaused){assert(dropWhilePaused,"preserve logs while paused not supported by SocketSub\
scriber yet","UNSUPPORTED_OPERATION",{operation:"pause(false)"}),this.#paused=!!dropWhilePaused}resume(){this.#paused=null}_handleMessage(message){
if(this.#filterId!=null&&this.#paused===null){let emitPromise=this.#emitPromise;emitPromise==null?emitPromise=this._emit(
this.#provider,message):emitPromise=emitPromise.then(async()=>{await this._emit(this.#provider,message)}),this.#emitPromise=
emitPromise.then(()=>{this.#emitPromise===emitPromise&&(this.#emitPromise=null)})}}async _emit(provider,message){throw new Error(
"sub-classes must implemente this; _emit")}},SocketBlockSubscriber=class extends SocketSubscriber{static{__name(this,"So\
cketBlockSubscriber")}constructor(provider){super(provider,["newHeads"])}async _emit(provider,message){provider.emit("bl\
ock",parseInt(message.number))}},SocketPendingSubscriber=class extends SocketSubscriber{static{__name(this,"SocketPendin\
gSubscriber")}constructor(provider){super(provider,["newPendingTransactions"])}async _emit(provider,message){provider.emit(
"pending",message)}},SocketEventSubscriber=class extends SocketSubscriber{static{__name(this,"SocketEventSubscriber")}#logFilter;get logFilter(){
return JSON.parse(this.#logFilter)}constructor(provider,filter){super(provider,["logs",filter]),this.#logFilter=JSON.stringify(
filter)}async _emit(provider,message){provider.emit(this.logFilter,provider._wrapLog(message,provider._network))}},SocketProvider=class extends JsonRpcApiProvider{static{
__name(this,"SocketProvider")}#callbacks;#subs;#pending;constructor(network,_options){let options=Object.assign({},_options??
{});assertArgument(options.batchMaxCount==null||options.batchMaxCount===1,"sockets-based providers do not support batche\
s","options.batchMaxCount",_options),options.batchMaxCount=1,options.staticNetwork==null&&(options.staticNetwork=!0),super(
network,options),this.#callbacks=new Map,this.#subs=new Map,this.#pending=new Map}_getSubscriber(sub){switch(sub.type){case"\
close":return new UnmanagedSubscriber("close");case"block":return new SocketBlockSubscriber(this);case"pending":return new SocketPendingSubscriber(
this);case"event":return new SocketEventSubscriber(this,sub.filter);case"orphan":if(sub.filter.orphan==="drop-log")return new UnmanagedSubscriber(
"drop-log")}return super._getSubscriber(sub)}_register(filterId,subscriber){this.#subs.set(filterId,subscriber);let pending=this.#pending.
get(filterId);if(pending){for(let message of pending)subscriber._handleMessage(message);this.#pending.delete(filterId)}}async _send(payload){
assertArgument(!Array.isArray(payload),"WebSocket does not support batch send","payload",payload);let promise=new Promise(
(resolve,reject)=>{this.#callbacks.set(payload.id,{payload,resolve,reject})});return await this._waitUntilReady(),await this.
_write(JSON.stringify(payload)),[await promise]}async _processMessage(message){let result=JSON.parse(message);if(result&&
typeof result=="object"&&"id"in result){let callback=this.#callbacks.get(result.id);if(callback==null){this.emit("error",
makeError("received result for unknown id","UNKNOWN_ERROR",{reasonCode:"UNKNOWN_ID",result}));return}this.#callbacks.delete(
result.id),callback.resolve(result)}else if(result&&result.method==="eth_subscription"){let filterId=result.params.subscription,
subscriber=this.#subs.get(filterId);if(subscriber)subscriber._handleMessage(result.params.result);else{let pending=this.#pending.
get(filterId);pending==null&&(pending=[],this.#pending.set(filterId,pending)),pending.push(result.params.result)}}else{this.
emit("error",makeError("received unexpected message","UNKNOWN_ERROR",{reasonCode:"UNEXPECTED_MESSAGE",result}));return}}async _write(message){
throw new Error("sub-classes must override this")}};var WebSocketProvider=class extends SocketProvider{static{__name(this,"WebSocketProvider")}#connect;#websocket;get websocket(){
if(this.#websocket==null)throw new Error("websocket closed");return this.#websocket}constructor(url,network,options){super(
network,options),typeof url=="string"?(this.#connect=()=>new _WebSocket(url),this.#websocket=this.#connect()):typeof url==
"function"?(this.#connect=url,this.#websocket=url()):(this.#connect=null,this.#websocket=url),this.websocket.onopen=async()=>{
try{await this._start(),this.resume()}catch(error){console.log("failed to start WebsocketProvider",error)}},this.websocket.
onmessage=message=>{this._processMessage(message.data)}}async _write(message){this.websocket.send(message)}async destroy(){
this.#websocket!=null&&(this.#websocket.close(),this.#websocket=null),super.destroy()}};var defaultProjectId="84842078b09946638c03157f83405213";function getHost4(name){switch(name){case"mainnet":return"mainne\
t.infura.io";case"goerli":return"goerli.infura.io";case"sepolia":return"sepolia.infura.io";case"arbitrum":return"arbitru\
m-mainnet.infura.io";case"arbitrum-goerli":return"arbitrum-goerli.infura.io";case"arbitrum-sepolia":return"arbitrum-sepo\
lia.infura.io";case"base":return"base-mainnet.infura.io";case"base-goerlia":case"base-goerli":return"base-goerli.infura.\
io";case"base-sepolia":return"base-sepolia.infura.io";case"bnb":return"bsc-mainnet.infura.io";case"bnbt":return"bsc-test\
net.infura.io";case"linea":return"linea-mainnet.infura.io";case"linea-goerli":return"linea-goerli.infura.io";case"linea-\
sepolia":return"linea-sepolia.infura.io";case"matic":return"polygon-mainnet.infura.io";case"matic-amoy":return"polygon-a\
moy.infura.io";case"matic-mumbai":return"polygon-mumbai.infura.io";case"optimism":return"optimism-mainnet.infura.io";case"\
optimism-goerli":return"optimism-goerli.infura.io";case"optimism-sepolia":return"optimism-sepolia.infura.io"}assertArgument(
!1,"unsupported network","network",name)}__name(getHost4,"getHost");var InfuraWebSocketProvider=class extends WebSocketProvider{static{
__name(this,"InfuraWebSocketProvider")}projectId;projectSecret;constructor(network,projectId){let provider=new InfuraProvider(
network,projectId),req=provider._getConnection();assert(!req.credentials,"INFURA WebSocket project secrets unsupported",
"UNSUPPORTED_OPERATION",{operation:"InfuraProvider.getWebSocketProvider()"});let url=req.url.replace(/^http/i,"ws").replace(
"/v3/","/ws/v3/");super(url,provider._network),defineProperties(this,{projectId:provider.projectId,projectSecret:provider.
projectSecret})}isCommunityResource(){return this.projectId===defaultProjectId}},InfuraProvider=class _InfuraProvider extends JsonRpcProvider{static{
__name(this,"InfuraProvider")}projectId;projectSecret;constructor(_network,projectId,projectSecret){_network==null&&(_network=
"mainnet");let network=Network.from(_network);projectId==null&&(projectId=defaultProjectId),projectSecret==null&&(projectSecret=
null);let request=_InfuraProvider.getRequest(network,projectId,projectSecret);super(request,network,{staticNetwork:network}),
defineProperties(this,{projectId,projectSecret})}_getProvider(chainId){try{return new _InfuraProvider(chainId,this.projectId,
this.projectSecret)}catch{}return super._getProvider(chainId)}isCommunityResource(){return this.projectId===defaultProjectId}static getWebSocketProvider(network,projectId){
return new InfuraWebSocketProvider(network,projectId)}static getRequest(network,projectId,projectSecret){projectId==null&&
(projectId=defaultProjectId),projectSecret==null&&(projectSecret=null);let request=new FetchRequest(`https://${getHost4(
network.name)}/v3/${projectId}`);return request.allowGzip=!0,projectSecret&&request.setCredentials("",projectSecret),projectId===
defaultProjectId&&(request.retryFunc=async(request2,response,attempt)=>(showThrottleMessage("InfuraProvider"),!0)),request}};var defaultToken="919b412a057b5e9c9b6dce193c5a60242d6efadb";function getHost5(name){switch(name){case"mainnet":return"et\
hers.quiknode.pro";case"goerli":return"ethers.ethereum-goerli.quiknode.pro";case"sepolia":return"ethers.ethereum-sepolia\
.quiknode.pro";case"holesky":return"ethers.ethereum-holesky.quiknode.pro";case"arbitrum":return"ethers.arbitrum-mainnet.\
quiknode.pro";case"arbitrum-goerli":return"ethers.arbitrum-goerli.quiknode.pro";case"arbitrum-sepolia":return"ethers.arb\
itrum-sepolia.quiknode.pro";case"base":return"ethers.base-mainnet.quiknode.pro";case"base-goerli":return"ethers.base-goe\
rli.quiknode.pro";case"base-spolia":return"ethers.base-sepolia.quiknode.pro";case"bnb":return"ethers.bsc.quiknode.pro";case"\
bnbt":return"ethers.bsc-testnet.quiknode.pro";case"matic":return"ethers.matic.quiknode.pro";case"matic-mumbai":return"et\
hers.matic-testnet.quiknode.pro";case"optimism":return"ethers.optimism.quiknode.pro";case"optimism-goerli":return"ethers\
.optimism-goerli.quiknode.pro";case"optimism-sepolia":return"ethers.optimism-sepolia.quiknode.pro";case"xdai":return"eth\
ers.xdai.quiknode.pro"}assertArgument(!1,"unsupported network","network",name)}__name(getHost5,"getHost");var QuickNodeProvider=class _QuickNodeProvider extends JsonRpcProvider{static{
__name(this,"QuickNodeProvider")}token;constructor(_network,token){_network==null&&(_network="mainnet");let network=Network.
from(_network);token==null&&(token=defaultToken);let request=_QuickNodeProvider.getRequest(network,token);super(request,
network,{staticNetwork:network}),defineProperties(this,{token})}_getProvider(chainId){try{return new _QuickNodeProvider(
chainId,this.token)}catch{}return super._getProvider(chainId)}isCommunityResource(){return this.token===defaultToken}static getRequest(network,token){
token==null&&(token=defaultToken);let request=new FetchRequest(`https://${getHost5(network.name)}/${token}`);return request.
allowGzip=!0,token===defaultToken&&(request.retryFunc=async(request2,response,attempt)=>(showThrottleMessage("QuickNodeP\
rovider"),!0)),request}};var BN_16=BigInt("1"),BN_24=BigInt("2");function shuffle(array){for(let i=array.length-1;i>0;i--){let j=Math.floor(Math.
random()*(i+1)),tmp=array[i];array[i]=array[j],array[j]=tmp}}__name(shuffle,"shuffle");function stall3(duration){return new Promise(
resolve=>{setTimeout(resolve,duration)})}__name(stall3,"stall");function getTime3(){return new Date().getTime()}__name(getTime3,
"getTime");function stringify2(value){return JSON.stringify(value,(key,value2)=>typeof value2=="bigint"?{type:"bigint",value:value2.
toString()}:value2)}__name(stringify2,"stringify");var defaultConfig={stallTimeout:400,priority:1,weight:1},defaultState={
blockNumber:-2,requests:0,lateResponses:0,errorResponses:0,outOfSync:-1,unsupportedEvents:0,rollingDuration:0,score:0,_network:null,
_updateNumber:null,_totalTime:0,_lastFatalError:null,_lastFatalErrorTimestamp:0};async function waitForSync(config,blockNumber){
for(;(config.blockNumber<0||config.blockNumber<blockNumber)&&(config._updateNumber||(config._updateNumber=(async()=>{try{
let blockNumber2=await config.provider.getBlockNumber();blockNumber2>config.blockNumber&&(config.blockNumber=blockNumber2)}catch(error){
config.blockNumber=-2,config._lastFatalError=error,config._lastFatalErrorTimestamp=getTime3()}config._updateNumber=null})()),
await config._updateNumber,config.outOfSync++,!config._lastFatalError););}__name(waitForSync,"waitForSync");function _normalize(value){
if(value==null)return"null";if(Array.isArray(value))return"["+value.map(_normalize).join(",")+"]";if(typeof value=="obje\
ct"&&typeof value.toJSON=="function")return _normalize(value.toJSON());switch(typeof value){case"boolean":case"symbol":return value.
toString();case"bigint":case"number":return BigInt(value).toString();case"string":return JSON.stringify(value);case"obje\
ct":{let keys=Object.keys(value);return keys.sort(),"{"+keys.map(k=>`${JSON.stringify(k)}:${_normalize(value[k])}`).join(
",")+"}"}}throw console.log("Could not serialize",value),new Error("Hmm...")}__name(_normalize,"_normalize");function normalizeResult(method,value){
if("error"in value){let error=value.error,tag;return isError(error,"CALL_EXCEPTION")?tag=_normalize(Object.assign({},error,
{shortMessage:void 0,reason:void 0,info:void 0})):tag=_normalize(error),{tag,value:error}}let result=value.result;return{
tag:_normalize(result),value:result}}__name(normalizeResult,"normalizeResult");function checkQuorum(quorum,results){let tally=new Map;
for(let{value,tag,weight}of results){let t=tally.get(tag)||{value,weight:0};t.weight+=weight,tally.set(tag,t)}let best=null;
for(let r of tally.values())r.weight>=quorum&&(!best||r.weight>best.weight)&&(best=r);if(best)return best.value}__name(checkQuorum,
"checkQuorum");function getMedian(quorum,results){let resultWeight=0,errorMap=new Map,bestError=null,values=[];for(let{value,
tag,weight}of results)if(value instanceof Error){let e=errorMap.get(tag)||{value,weight:0};e.weight+=weight,errorMap.set(
tag,e),(bestError==null||e.weight>bestError.weight)&&(bestError=e)}else values.push(BigInt(value)),resultWeight+=weight;
if(resultWeight<quorum)return bestError&&bestError.weight>=quorum?bestError.value:void 0;values.sort((a,b2)=>a<b2?-1:b2>
a?1:0);let mid=Math.floor(values.length/2);return values.length%2?values[mid]:(values[mid-1]+values[mid]+BN_16)/BN_24}__name(
getMedian,"getMedian");function getAnyResult(quorum,results){let result=checkQuorum(quorum,results);if(result!==void 0)return result;
for(let r of results)if(r.value)return r.value}__name(getAnyResult,"getAnyResult");function getFuzzyMode(quorum,results){
if(quorum===1)return getNumber(getMedian(quorum,results),"%internal");let tally=new Map,add=__name((result,weight)=>{let t=tally.
get(result)||{result,weight:0};t.weight+=weight,tally.set(result,t)},"add");for(let{weight,value}of results){let r=getNumber(
value);add(r-1,weight),add(r,weight),add(r+1,weight)}let bestWeight=0,bestResult;for(let{weight,result}of tally.values())
weight>=quorum&&(weight>bestWeight||bestResult!=null&&weight===bestWeight&&result>bestResult)&&(bestWeight=weight,bestResult=
result);return bestResult}__name(getFuzzyMode,"getFuzzyMode");var FallbackProvider=class extends AbstractProvider{static{
__name(this,"FallbackProvider")}quorum;eventQuorum;eventWorkers;#configs;#height;#initialSyncPromise;constructor(providers,network,options){
super(network,options),this.#configs=providers.map(p=>p instanceof AbstractProvider?Object.assign({provider:p},defaultConfig,
defaultState):Object.assign({},defaultConfig,p,defaultState)),this.#height=-2,this.#initialSyncPromise=null,options&&options.
quorum!=null?this.quorum=options.quorum:this.quorum=Math.ceil(this.#configs.reduce((accum,config)=>(accum+=config.weight,
accum),0)/2),this.eventQuorum=1,this.eventWorkers=1,assertArgument(this.quorum<=this.#configs.reduce((a,c)=>a+c.weight,0),
"quorum exceed provider weight","quorum",this.quorum)}get providerConfigs(){return this.#configs.map(c=>{let result=Object.
assign({},c);for(let key in result)key[0]==="_"&&delete result[key];return result})}async _detectNetwork(){return Network.
from(getBigInt(await this._perform({method:"chainId"})))}async _translatePerform(provider,req){switch(req.method){case"b\
roadcastTransaction":return await provider.broadcastTransaction(req.signedTransaction);case"call":return await provider.
call(Object.assign({},req.transaction,{blockTag:req.blockTag}));case"chainId":return(await provider.getNetwork()).chainId;case"\
estimateGas":return await provider.estimateGas(req.transaction);case"getBalance":return await provider.getBalance(req.address,
req.blockTag);case"getBlock":{let block="blockHash"in req?req.blockHash:req.blockTag;return await provider.getBlock(block,
req.includeTransactions)}case"getBlockNumber":return await provider.getBlockNumber();case"getCode":return await provider.
getCode(req.address,req.blockTag);case"getGasPrice":return(await provider.getFeeData()).gasPrice;case"getPriorityFee":return(await provider.
getFeeData()).maxPriorityFeePerGas;case"getLogs":return await provider.getLogs(req.filter);case"getStorage":return await provider.
getStorage(req.address,req.position,req.blockTag);case"getTransaction":return await provider.getTransaction(req.hash);case"\
getTransactionCount":return await provider.getTransactionCount(req.address,req.blockTag);case"getTransactionReceipt":return await provider.
getTransactionReceipt(req.hash);case"getTransactionResult":return await provider.getTransactionResult(req.hash)}}#getNextConfig(running){
let configs=Array.from(running).map(r=>r.config),allConfigs=this.#configs.slice();shuffle(allConfigs),allConfigs.sort((a,b2)=>a.
priority-b2.priority);for(let config of allConfigs)if(!config._lastFatalError&&configs.indexOf(config)===-1)return config;
return null}#addRunner(running,req){let config=this.#getNextConfig(running);if(config==null)return null;let runner={config,
result:null,didBump:!1,perform:null,staller:null},now=getTime3();return runner.perform=(async()=>{try{config.requests++;
let result=await this._translatePerform(config.provider,req);runner.result={result}}catch(error){config.errorResponses++,
runner.result={error}}let dt=getTime3()-now;config._totalTime+=dt,config.rollingDuration=.95*config.rollingDuration+.05*
dt,runner.perform=null})(),runner.staller=(async()=>{await stall3(config.stallTimeout),runner.staller=null})(),running.add(
runner),runner}async#initialSync(){let initialSync=this.#initialSyncPromise;if(!initialSync){let promises=[];this.#configs.
forEach(config=>{promises.push((async()=>{await waitForSync(config,0),config._lastFatalError||(config._network=await config.
provider.getNetwork())})())}),this.#initialSyncPromise=initialSync=(async()=>{await Promise.all(promises);let chainId=null;
for(let config of this.#configs){if(config._lastFatalError)continue;let network=config._network;chainId==null?chainId=network.
chainId:network.chainId!==chainId&&assert(!1,"cannot mix providers on different networks","UNSUPPORTED_OPERATION",{operation:"\
new FallbackProvider"})}})()}await initialSync}async#checkQuorum(running,req){let results=[];for(let runner of running)if(runner.
result!=null){let{tag,value}=normalizeResult(req.method,runner.result);results.push({tag,value,weight:runner.config.weight})}
if(!(results.reduce((a,r)=>a+r.weight,0)<this.quorum)){switch(req.method){case"getBlockNumber":{this.#height===-2&&(this.#height=
Math.ceil(getNumber(getMedian(this.quorum,this.#configs.filter(c=>!c._lastFatalError).map(c=>({value:c.blockNumber,tag:getNumber(
c.blockNumber).toString(),weight:c.weight}))))));let mode=getFuzzyMode(this.quorum,results);return mode===void 0?void 0:
(mode>this.#height&&(this.#height=mode),this.#height)}case"getGasPrice":case"getPriorityFee":case"estimateGas":return getMedian(
this.quorum,results);case"getBlock":return"blockTag"in req&&req.blockTag==="pending"?getAnyResult(this.quorum,results):checkQuorum(
this.quorum,results);case"call":case"chainId":case"getBalance":case"getTransactionCount":case"getCode":case"getStorage":case"\
getTransaction":case"getTransactionReceipt":case"getLogs":return checkQuorum(this.quorum,results);case"broadcastTransact\
ion":return getAnyResult(this.quorum,results)}assert(!1,"unsupported method","UNSUPPORTED_OPERATION",{operation:`_perfor\
m(${stringify2(req.method)})`})}}async#waitForQuorum(running,req){if(running.size===0)throw new Error("no runners?!");let interesting=[],
newRunners=0;for(let runner of running){if(runner.perform&&interesting.push(runner.perform),runner.staller){interesting.
push(runner.staller);continue}runner.didBump||(runner.didBump=!0,newRunners++)}let value=await this.#checkQuorum(running,
req);if(value!==void 0){if(value instanceof Error)throw value;return value}for(let i=0;i<newRunners;i++)this.#addRunner(
running,req);return assert(interesting.length>0,"quorum not met","SERVER_ERROR",{request:"%sub-requests",info:{request:req,
results:Array.from(running).map(r=>stringify2(r.result))}}),await Promise.race(interesting),await this.#waitForQuorum(running,
req)}async _perform(req){if(req.method==="broadcastTransaction"){let results=this.#configs.map(c=>null),broadcasts=this.#configs.
map(async({provider,weight},index)=>{try{let result3=await provider._perform(req);results[index]=Object.assign(normalizeResult(
req.method,{result:result3}),{weight})}catch(error){results[index]=Object.assign(normalizeResult(req.method,{error}),{weight})}});
for(;;){let done=results.filter(r=>r!=null);for(let{value}of done)if(!(value instanceof Error))return value;let result3=checkQuorum(
this.quorum,results.filter(r=>r!=null));if(isError(result3,"INSUFFICIENT_FUNDS"))throw result3;let waiting=broadcasts.filter(
(b2,i)=>results[i]==null);if(waiting.length===0)break;await Promise.race(waiting)}let result2=getAnyResult(this.quorum,results);
if(assert(result2!==void 0,"problem multi-broadcasting","SERVER_ERROR",{request:"%sub-requests",info:{request:req,results:results.
map(stringify2)}}),result2 instanceof Error)throw result2;return result2}await this.#initialSync();let running=new Set,inflightQuorum=0;
for(;;){let runner=this.#addRunner(running,req);if(runner==null||(inflightQuorum+=runner.config.weight,inflightQuorum>=this.
quorum))break}let result=await this.#waitForQuorum(running,req);for(let runner of running)runner.perform&&runner.result==
null&&runner.config.lateResponses++;return result}async destroy(){for(let{provider}of this.#configs)provider.destroy();super.
destroy()}};function isWebSocketLike(value){return value&&typeof value.send=="function"&&typeof value.close=="function"}__name(isWebSocketLike,
"isWebSocketLike");var Testnets="goerli kovan sepolia classicKotti optimism-goerli arbitrum-goerli matic-mumbai bnbt".split(
" ");function getDefaultProvider(network,options){options==null&&(options={});let allowService=__name(name=>options[name]===
"-"?!1:typeof options.exclusive=="string"?name===options.exclusive:Array.isArray(options.exclusive)?options.exclusive.indexOf(
name)!==-1:!0,"allowService");if(typeof network=="string"&&network.match(/^https?:/))return new JsonRpcProvider(network);
if(typeof network=="string"&&network.match(/^wss?:/)||isWebSocketLike(network))return new WebSocketProvider(network);let staticNetwork=null;
try{staticNetwork=Network.from(network)}catch{}let providers=[];if(allowService("publicPolygon")&&staticNetwork&&(staticNetwork.
name==="matic"?providers.push(new JsonRpcProvider("https://polygon-rpc.com/",staticNetwork,{staticNetwork})):staticNetwork.
name==="matic-amoy"&&providers.push(new JsonRpcProvider("https://rpc-amoy.polygon.technology/",staticNetwork,{staticNetwork}))),
allowService("alchemy"))try{providers.push(new AlchemyProvider(network,options.alchemy))}catch{}if(allowService("ankr")&&
options.ankr!=null)try{providers.push(new AnkrProvider(network,options.ankr))}catch{}if(allowService("chainstack"))try{providers.
push(new ChainstackProvider(network,options.chainstack))}catch{}if(allowService("cloudflare"))try{providers.push(new CloudflareProvider(
network))}catch{}if(allowService("etherscan"))try{providers.push(new EtherscanProvider(network,options.etherscan))}catch{}
if(allowService("infura"))try{let projectId=options.infura,projectSecret;typeof projectId=="object"&&(projectSecret=projectId.
projectSecret,projectId=projectId.projectId),providers.push(new InfuraProvider(network,projectId,projectSecret))}catch{}
if(allowService("quicknode"))try{let token=options.quicknode;providers.push(new QuickNodeProvider(network,token))}catch{}
if(assert(providers.length,"unsupported default network","UNSUPPORTED_OPERATION",{operation:"getDefaultProvider"}),providers.
length===1)return providers[0];let quorum=Math.floor(providers.length/2);return quorum>2&&(quorum=2),staticNetwork&&Testnets.
indexOf(staticNetwork.name)!==-1&&(quorum=1),options&&options.quorum&&(quorum=options.quorum),new FallbackProvider(providers,
void 0,{quorum})}__name(getDefaultProvider,"getDefaultProvider");var NonceManager=class _NonceManager extends AbstractSigner{static{__name(this,"NonceManager")}signer;#noncePromise;#delta;constructor(signer){
super(signer.provider),defineProperties(this,{signer}),this.#noncePromise=null,this.#delta=0}async getAddress(){return this.
signer.getAddress()}connect(provider){return new _NonceManager(this.signer.connect(provider))}async getNonce(blockTag){if(blockTag===
"pending"){this.#noncePromise==null&&(this.#noncePromise=super.getNonce("pending"));let delta=this.#delta;return await this.#noncePromise+
delta}return super.getNonce(blockTag)}increment(){this.#delta++}reset(){this.#delta=0,this.#noncePromise=null}async sendTransaction(tx){
let noncePromise=this.getNonce("pending");return this.increment(),tx=await this.signer.populateTransaction(tx),tx.nonce=
await noncePromise,await this.signer.sendTransaction(tx)}signTransaction(tx){return this.signer.signTransaction(tx)}signMessage(message){
return this.signer.signMessage(message)}signTypedData(domain,types,value){return this.signer.signTypedData(domain,types,
value)}};var BrowserProvider=class _BrowserProvider extends JsonRpcApiPollingProvider{static{__name(this,"BrowserProvider")}#request;#providerInfo;constructor(ethereum,network,_options){
let options=Object.assign({},_options??{},{batchMaxCount:1});assertArgument(ethereum&&ethereum.request,"invalid EIP-1193\
 provider","ethereum",ethereum),super(network,options),this.#providerInfo=null,_options&&_options.providerInfo&&(this.#providerInfo=
_options.providerInfo),this.#request=async(method,params)=>{let payload={method,params};this.emit("debug",{action:"sendE\
ip1193Request",payload});try{let result=await ethereum.request(payload);return this.emit("debug",{action:"receiveEip1193\
Result",result}),result}catch(e){let error=new Error(e.message);throw error.code=e.code,error.data=e.data,error.payload=
payload,this.emit("debug",{action:"receiveEip1193Error",error}),error}}}get providerInfo(){return this.#providerInfo}async send(method,params){
return await this._start(),await super.send(method,params)}async _send(payload){assertArgument(!Array.isArray(payload),"\
EIP-1193 does not support batch request","payload",payload);try{let result=await this.#request(payload.method,payload.params||
[]);return[{id:payload.id,result}]}catch(e){return[{id:payload.id,error:{code:e.code,data:e.data,message:e.message}}]}}getRpcError(payload,error){
switch(error=JSON.parse(JSON.stringify(error)),error.error.code||-1){case 4001:error.error.message=`ethers-user-denied: ${error.
error.message}`;break;case 4200:error.error.message=`ethers-unsupported: ${error.error.message}`;break}return super.getRpcError(
payload,error)}async hasSigner(address){address==null&&(address=0);let accounts=await this.send("eth_accounts",[]);return typeof address==
"number"?accounts.length>address:(address=address.toLowerCase(),accounts.filter(a=>a.toLowerCase()===address).length!==0)}async getSigner(address){
if(address==null&&(address=0),!await this.hasSigner(address))try{await this.#request("eth_requestAccounts",[])}catch(error){
let payload=error.payload;throw this.getRpcError(payload,{id:payload.id,error})}return await super.getSigner(address)}static async discover(options){
if(options==null&&(options={}),options.provider)return new _BrowserProvider(options.provider);let context=options.window?
options.window:typeof window<"u"?window:null;if(context==null)return null;let anyProvider=options.anyProvider;if(anyProvider&&
context.ethereum)return new _BrowserProvider(context.ethereum);if(!("addEventListener"in context&&"dispatchEvent"in context&&
"removeEventListener"in context))return null;let timeout=options.timeout?options.timeout:300;return timeout===0?null:await new Promise(
(resolve,reject)=>{let found=[],addProvider=__name(event=>{found.push(event.detail),anyProvider&&finalize()},"addProvide\
r"),finalize=__name(()=>{if(clearTimeout(timer),found.length)if(options&&options.filter){let filtered=options.filter(found.
map(i=>Object.assign({},i.info)));if(filtered==null)resolve(null);else if(filtered instanceof _BrowserProvider)resolve(filtered);else{
let match=null;if(filtered.uuid&&(match=found.filter(f2=>filtered.uuid===f2.info.uuid)[0]),match){let{provider,info}=match;
resolve(new _BrowserProvider(provider,void 0,{providerInfo:info}))}else reject(makeError("filter returned unknown info",
"UNSUPPORTED_OPERATION",{value:filtered}))}}else{let{provider,info}=found[0];resolve(new _BrowserProvider(provider,void 0,
{providerInfo:info}))}else resolve(null);context.removeEventListener("eip6963:announceProvider",addProvider)},"finalize"),
timer=setTimeout(()=>{finalize()},timeout);context.addEventListener("eip6963:announceProvider",addProvider),context.dispatchEvent(
new Event("eip6963:requestProvider"))})}};function getUrl(name){switch(name){case"mainnet":return"https://eth.blockscout.com/api/eth-rpc";case"sepolia":return"htt\
ps://eth-sepolia.blockscout.com/api/eth-rpc";case"holesky":return"https://eth-holesky.blockscout.com/api/eth-rpc";case"c\
lassic":return"https://etc.blockscout.com/api/eth-rpc";case"arbitrum":return"https://arbitrum.blockscout.com/api/eth-rpc";case"\
base":return"https://base.blockscout.com/api/eth-rpc";case"base-sepolia":return"https://base-sepolia.blockscout.com/api/\
eth-rpc";case"matic":return"https://polygon.blockscout.com/api/eth-rpc";case"optimism":return"https://optimism.blockscou\
t.com/api/eth-rpc";case"optimism-sepolia":return"https://optimism-sepolia.blockscout.com/api/eth-rpc";case"xdai":return"\
https://gnosis.blockscout.com/api/eth-rpc"}assertArgument(!1,"unsupported network","network",name)}__name(getUrl,"getUrl");
var defaultApiKey3="proapi_gwcAAagyQKJ4r2KrAATyyCshiyUEpWfr2x7aKDOWFc56ZY8mBFcT9KZuP5Ce2jIfr_kHzUm",BlockscoutProvider=class _BlockscoutProvider extends JsonRpcProvider{static{
__name(this,"BlockscoutProvider")}apiKey;constructor(_network,apiKey){_network==null&&(_network="mainnet");let network=Network.
from(_network);apiKey==null&&(apiKey=defaultApiKey3);let request=_BlockscoutProvider.getRequest(network);super(request,network,
{staticNetwork:network}),defineProperties(this,{apiKey})}_getProvider(chainId){try{return new _BlockscoutProvider(chainId,
this.apiKey)}catch{}return super._getProvider(chainId)}isCommunityResource(){return this.apiKey===null}getRpcRequest(req){
let resp=super.getRpcRequest(req);return resp&&resp.method==="eth_estimateGas"&&resp.args.length==1&&(resp.args=resp.args.
slice(),resp.args.push("latest")),resp}getRpcError(payload,_error){let error=_error?_error.error:null;if(error&&error.code===
-32015&&!isHexString(error.data||"",!0)){let panicCodes={"assert(false)":"01","arithmetic underflow or overflow":"11","d\
ivision or modulo by zero":"12","out-of-bounds array access; popping on an empty array":"31","out-of-bounds access of an\
 array or bytesN":"32"},panicCode="";error.message==="VM execution error."?panicCode=panicCodes[error.data]||"":panicCodes[error.
message||""]&&(panicCode=panicCodes[error.message||""]),panicCode&&(error.message+=` (reverted: ${error.data})`,error.data=
"0x4e487b7100000000000000000000000000000000000000000000000000000000000000"+panicCode)}else error&&error.code===-32e3&&error.
message==="wrong transaction nonce"&&(error.message+=" (nonce too low)");return super.getRpcError(payload,_error)}static getRequest(network){
let request=new FetchRequest(getUrl(network.name));return request.allowGzip=!0,request}};var defaultApplicationId="62e1ad51b37b8e00394bda3b";function getHost6(name){switch(name){case"mainnet":return"eth-mainne\
t.gateway.pokt.network";case"goerli":return"eth-goerli.gateway.pokt.network";case"matic":return"poly-mainnet.gateway.pok\
t.network";case"matic-mumbai":return"polygon-mumbai-rpc.gateway.pokt.network"}assertArgument(!1,"unsupported network","n\
etwork",name)}__name(getHost6,"getHost");var PocketProvider=class _PocketProvider extends JsonRpcProvider{static{__name(
this,"PocketProvider")}applicationId;applicationSecret;constructor(_network,applicationId,applicationSecret){_network==null&&
(_network="mainnet");let network=Network.from(_network);applicationId==null&&(applicationId=defaultApplicationId),applicationSecret==
null&&(applicationSecret=null);let options={staticNetwork:network},request=_PocketProvider.getRequest(network,applicationId,
applicationSecret);super(request,network,options),defineProperties(this,{applicationId,applicationSecret})}_getProvider(chainId){
try{return new _PocketProvider(chainId,this.applicationId,this.applicationSecret)}catch{}return super._getProvider(chainId)}static getRequest(network,applicationId,applicationSecret){
applicationId==null&&(applicationId=defaultApplicationId);let request=new FetchRequest(`https://${getHost6(network.name)}\
/v1/lb/${applicationId}`);return request.allowGzip=!0,applicationSecret&&request.setCredentials("",applicationSecret),applicationId===
defaultApplicationId&&(request.retryFunc=async(request2,response,attempt)=>(showThrottleMessage("PocketProvider"),!0)),request}isCommunityResource(){
return this.applicationId===defaultApplicationId}};var IpcSocketProvider=void 0;var BaseWallet=class _BaseWallet extends AbstractSigner{static{__name(this,"BaseWallet")}address;#signingKey;constructor(privateKey,provider){
super(provider),assertArgument(privateKey&&typeof privateKey.sign=="function","invalid private key","privateKey","[ REDA\
CTED ]"),this.#signingKey=privateKey;let address=computeAddress(this.signingKey.publicKey);defineProperties(this,{address})}get signingKey(){
return this.#signingKey}get privateKey(){return this.signingKey.privateKey}async getAddress(){return this.address}connect(provider){
return new _BaseWallet(this.#signingKey,provider)}async signTransaction(tx){tx=copyRequest(tx);let{to,from}=await resolveProperties(
{to:tx.to?resolveAddress(tx.to,this):void 0,from:tx.from?resolveAddress(tx.from,this):void 0});to!=null&&(tx.to=to),from!=
null&&(tx.from=from),tx.from!=null&&(assertArgument(getAddress(tx.from)===this.address,"transaction from address mismatc\
h","tx.from",tx.from),delete tx.from);let btx=Transaction.from(tx);return btx.signature=this.signingKey.sign(btx.unsignedHash),
btx.serialized}async signMessage(message){return this.signMessageSync(message)}signMessageSync(message){return this.signingKey.
sign(hashMessage(message)).serialized}authorizeSync(auth){assertArgument(typeof auth.address=="string","invalid address \
for authorizeSync","auth.address",auth);let signature=this.signingKey.sign(hashAuthorization(auth));return Object.assign(
{},{address:getAddress(auth.address),nonce:getBigInt(auth.nonce||0),chainId:getBigInt(auth.chainId||0)},{signature})}async authorize(auth){
return auth=Object.assign({},auth,{address:await resolveAddress(auth.address,this)}),this.authorizeSync(await this.populateAuthorization(
auth))}async signTypedData(domain,types,value){let populated=await TypedDataEncoder.resolveNames(domain,types,value,async name=>{
assert(this.provider!=null,"cannot resolve ENS names without a provider","UNSUPPORTED_OPERATION",{operation:"resolveName",
info:{name}});let address=await this.provider.resolveName(name);return assert(address!=null,"unconfigured ENS name","UNC\
ONFIGURED_NAME",{value:name}),address});return this.signingKey.sign(TypedDataEncoder.hash(populated.domain,types,populated.
value)).serialized}};var subsChrs=" !#$%&'()*+,-./<=>?@[]^_`{|}~",Word=/^[a-z]*$/i;function unfold(words2,sep){let initial=97;return words2.reduce(
(accum,word)=>(word===sep?initial++:word.match(Word)?accum.push(String.fromCharCode(initial)+word):(initial=97,accum.push(
word)),accum),[])}__name(unfold,"unfold");function decode(data,subs){for(let i=subsChrs.length-1;i>=0;i--)data=data.split(
subsChrs[i]).join(subs.substring(2*i,2*i+2));let clumps=[],leftover=data.replace(/(:|([0-9])|([A-Z][a-z]*))/g,(all,item,semi,word)=>{
if(semi)for(let i=parseInt(semi);i>=0;i--)clumps.push(";");else clumps.push(item.toLowerCase());return""});if(leftover)throw new Error(
`leftovers: ${JSON.stringify(leftover)}`);return unfold(unfold(clumps,";"),":")}__name(decode,"decode");function decodeOwl(data){
return assertArgument(data[0]==="0","unsupported auwl data","data",data),decode(data.substring(1+2*subsChrs.length),data.
substring(1,1+2*subsChrs.length))}__name(decodeOwl,"decodeOwl");var Wordlist=class{static{__name(this,"Wordlist")}locale;constructor(locale){defineProperties(this,{locale})}split(phrase){
return phrase.toLowerCase().split(/\s+/g)}join(words2){return words2.join(" ")}};var WordlistOwl=class extends Wordlist{static{__name(this,"WordlistOwl")}#data;#checksum;constructor(locale,data,checksum2){
super(locale),this.#data=data,this.#checksum=checksum2,this.#words=null}get _data(){return this.#data}_decodeWords(){return decodeOwl(
this.#data)}#words;#loadWords(){if(this.#words==null){let words2=this._decodeWords();if(id(words2.join(`
`)+`
`)!==this.#checksum)throw new Error(`BIP39 Wordlist for ${this.locale} FAILED`);this.#words=words2}return this.#words}getWord(index){
let words2=this.#loadWords();return assertArgument(index>=0&&index<words2.length,`invalid word index: ${index}`,"index",
index),words2[index]}getWordIndex(word){return this.#loadWords().indexOf(word)}};var words="0erleonalorenseinceregesticitStanvetearctssi#ch2Athck&tneLl0And#Il.yLeOutO=S|S%b/ra@SurdU'0Ce[Cid|CountCu'Hie\
=IdOu,-Qui*Ro[TT]T%T*[Tu$0AptDD-tD*[Ju,M.UltV<)Vi)0Rob-0FairF%dRaid0A(EEntRee0Ead0MRRp%tS!_rmBumCoholErtI&LLeyLowMo,O}Ph\
aReadySoT Ways0A>urAz(gOngOuntU'd0Aly,Ch%Ci|G G!GryIm$K!Noun)Nu$O` Sw T&naTiqueXietyY1ArtOlogyPe?P!Pro=Ril1ChCt-EaEnaGue\
MMedM%MyOundR<+Re,Ri=RowTTefa@Ti,Tw%k0KPe@SaultSetSi,SumeThma0H!>OmTa{T&dT.udeTra@0Ct]D.Gu,NtTh%ToTumn0Era+OcadoOid0AkeA\
*AyEsomeFulKw?d0Is:ByChel%C#D+GL<)Lc#y~MbooN<aNn RRelyRga(R*lSeS-SketTt!3A^AnAutyCau'ComeEfF%eG(Ha=H(dLie=LowLtN^Nef./Tr\
ayTt Twe&Y#d3Cyc!DKeNdOlogyRdR`Tt _{AdeAmeAnketA,EakE[IndOodO[omOu'UeUrUsh_rdAtDyIlMbNeNusOkO,Rd R(gRrowSsTtomUn)XY_{etA\
(AndA[A=EadEezeI{Id+IefIghtIngIskOccoliOk&OnzeOomO` OwnUsh2Bb!DdyD+tFf$oIldLbLkL!tNd!Nk Rd&Rg R,SS(e[SyTt Y Zz:Bba+B(B!C\
tusGeKe~LmM aMpNN$N)lNdyNn#NoeNvasNy#Pab!P.$Pta(RRb#RdRgoRpetRryRtSeShS(o/!Su$TT$ogT^Teg%yTt!UghtU'Ut]Ve3Il(gL yM|NsusNt\
uryRe$Rta(_irAlkAmp]An+AosApt Ar+A'AtEapE{Ee'EfErryE,I{&IefIldIm}yOi)Oo'R#-U{!UnkUrn0G?Nnam#Rc!Tiz&TyVil_imApArifyAwAyE<\
ErkEv I{I|IffImbIn-IpO{OgO'O`OudOwnUbUmpU, Ut^_^A,C#utDeFfeeIlInL!@L%LumnMb(eMeMf%tM-Mm#Mp<yNc tNdu@NfirmNg*[N}@Nsid Ntr\
olNv()OkOlPp PyR$ReRnR*@/Tt#U^UntryUp!Ur'Us(V Yo>_{Ad!AftAmA}AshAt AwlAzyEamEd.EekEwI{etImeIspIt-OpO[Ou^OwdUci$UelUi'Umb\
!Un^UshYY,$2BeLtu*PPbo?dRiousRr|Rta(R=Sh]/omTe3C!:DMa+MpN)Ng R(gShUght WnY3AlBa>BrisCadeCemb CideCl(eC%a>C*a'ErF&'F(eFyG\
*eLayLiv M<dMi'Ni$Nti,NyP?tP&dPos.P`PutyRi=ScribeS tSignSkSpair/royTailTe@VelopVi)Vo>3AgramAlAm#dAryCeE'lEtFf G.$Gn.yLem\
maNn NosaurRe@RtSag*eScov Sea'ShSmi[S%d Splay/<)V tVideV%)Zzy5Ct%Cum|G~Lph(Ma(Na>NkeyN%OrSeUb!Ve_ftAg#AmaA,-AwEamE[IftIl\
lInkIpI=OpUmY2CkMbNeR(g/T^Ty1Arf1Nam-:G G!RlyRnR`Sily/Sy1HoOlogyOnomy0GeItUca>1F%t0G1GhtTh 2BowD E@r-Eg<tEm|Eph<tEvat%I>\
Se0B?kBodyBra)Er+Ot]PloyPow Pty0Ab!A@DD![D%'EmyErgyF%)Ga+G(eH<)JoyLi,OughR-hRollSu*T Ti*TryVelope1Isode0U$Uip0AA'OdeOs]R\
%Upt0CapeSayS&)Ta>0Ern$H-s1Id&)IlOkeOl=1A@Amp!Ce[Ch<+C.eCludeCu'Ecu>Erci'Hau,Hib.I!I,ItOt-P<dPe@Pi*Pla(Po'P*[T&dTra0EEbr\
ow:Br-CeCultyDeIntI`~L'MeMilyMousNNcyNtasyRmSh]TT$Th TigueUltV%.e3Atu*Bru?yD $EEdElMa!N)/iv$T^V W3B Ct]EldGu*LeLmLt N$Nd\
NeNg NishReRmR,Sc$ShTT}[X_gAmeAshAtAv%EeIghtIpOatO{O%Ow UidUshY_mCusGIlLd~owOdOtR)Re,R+tRkRtu}RumRw?dSsil/ UndX_gi!AmeEq\
u|EshI&dIn+OgOntO,OwnOz&U.2ElNNnyRna)RyTu*:D+tInLaxy~ yMePRa+Rba+Rd&Rl-Rm|SSpTeTh U+Ze3N $NiusN*Nt!Nu(e/u*2O,0AntFtGg!Ng\
 RaffeRlVe_dAn)A*A[IdeImp'ObeOomOryO=OwUe_tDde[LdOdO'RillaSpelSsipV nWn_bA)A(AntApeA[Av.yEatE&IdIefItOc yOupOwUnt_rdE[Id\
eIltIt?N3M:B.IrLfMm M, NdPpyRb%RdRshR=,TVeWkZ?d3AdAl`ArtAvyD+hogIght~oLmetLpNRo3Dd&Gh~NtPRe/%y5BbyCkeyLdLeLiday~owMeNeyO\
dPeRnRr%R'Sp.$/TelUrV 5BGeM<Mb!M%Nd*dNgryNtRd!RryRtSb<d3Brid:1EOn0EaEntifyLe2N%e4LLeg$L}[0A+Ita>M&'Mu}Pa@Po'Pro=Pul'0ChC\
ludeComeC*a'DexD-a>Do%Du,ryF<tFl-tF%mHa!H .Iti$Je@JuryMa>N Noc|PutQuiryS<eSe@SideSpi*/$lTa@T e,ToVe,V.eVol=3On0L<dOla>Su\
e0Em1Ory:CketGu?RZz3AlousAns~yWel9BInKeUr}yY5D+I)MpNg!Ni%Nk/:Ng?oo3EnEpT^upY3CkDD}yNdNgdomSsTT^&TeTt&Wi4EeIfeO{Ow:BBelB%\
Dd DyKeMpNgua+PtopR+T T(UghUndryVaWWnWsu.Y Zy3Ad AfArnA=Ctu*FtGG$G&dIsu*M#NdNg`NsOp?dSs#Tt Vel3ArB tyBr?yC&'FeFtGhtKeMbM\
.NkOnQuid/Tt!VeZ?d5AdAnB, C$CkG-NelyNgOpTt yUdUn+VeY$5CkyGga+Mb N?N^Xury3R-s:Ch(eDG-G}tIdIlInJ%KeMm$NNa+Nda>NgoNs]Nu$P!R\
b!R^Rg(R(eRketRria+SkSs/ T^T i$ThTrixTt XimumZe3AdowAnAsu*AtCh<-D$DiaLodyLtMb M%yNt]NuRcyR+R.RryShSsa+T$Thod3Dd!DnightLk\
~]M-NdNimumN%Nu>Rac!Rr%S ySs/akeXXedXtu*5Bi!DelDifyMM|N.%NkeyN, N`OnR$ReRn(gSqu.oTh T]T%Unta(U'VeVie5ChFf(LeLtiplySc!Seu\
mShroomS-/Tu$3Self/ yTh:I=MePk(Rrow/yT]Tu*3ArCkEdGati=G!@I` PhewR=/TTw%kUtr$V WsXt3CeGht5B!I'M(eeOd!Rm$R`SeTab!TeTh(gTi)\
VelW5C!?Mb R'T:K0EyJe@Li+Scu*S =Ta(Vious0CurE<Tob 0Or1FF Fi)T&2L1Ay0DI=Ymp-0It0CeEI#L(eLy1EnEraIn]Po'T]1An+B.Ch?dD D(?yG\
<I|Ig($Ph<0Tr-h0H 0Tdo%T TputTside0AlEnEr0NN 0Yg&0/ 0O}:CtDd!GeIrLa)LmNdaNelN-N` P RadeR|RkRrotRtySsT^ThTi|TrolTt nU'VeY\
m|3A)AnutArAs<tL-<NN$tyNcilOp!Pp Rfe@Rm.Rs#T2O}OtoRa'Ys-$0AnoCn-Ctu*E)GGe#~LotNkO} Pe/olT^Zza_)A}tA,-A>AyEa'Ed+U{UgUn+2E\
mEtIntL?LeLi)NdNyOlPul?Rt]S.]Ssib!/TatoTt yV tyWd W _@i)Ai'Ed-tEf Epa*Es|EttyEv|I)IdeIm?yIntI%.yIs#Iva>IzeOb!mO)[Odu)Of.\
OgramOje@Omo>OofOp tyOsp O>@OudOvide2Bl-Dd(g~LpL'Mpk(N^PilPpyR^a'R.yRpo'R'ShTZz!3Ramid:99Al.yAntumArt E,]I{ItIzO>:Bb.Cco\
#CeCkD?DioIlInI'~yMpN^NdomN+PidReTeTh V&WZ%3AdyAlAs#BelBuildC$lCei=CipeC%dCyc!Du)F!@F%mFu'G]G*tGul?Je@LaxLea'LiefLyMa(Me\
mb M(dMo=Nd NewNtOp&PairPeatPla)P%tQui*ScueSemb!Si,Sour)Sp#'SultTi*T*atTurnUn]Ve$ViewW?d2Y`m0BBb#CeChDeD+F!GhtGidNgOtPp!\
SkTu$V$V 5AdA,BotBu,CketM<)OfOkieOmSeTa>UghUndU>Y$5Bb DeGLeNNwayR$:DDd!D}[FeIlLadLm#L#LtLu>MeMp!NdTisfyToshiU)Usa+VeY1A!\
AnA*Att E}HemeHoolI&)I[%sOrp]OutRapRe&RiptRub1AAr^As#AtC#dC*tCt]Cur.yEdEkGm|Le@~M(?Ni%N'Nt&)RiesRvi)Ss]Tt!TupV&_dowAftAl\
lowA*EdEllEriffIeldIftI}IpIv O{OeOotOpOrtOuld O=RimpRugUff!Y0Bl(gCkDeE+GhtGnL|Lk~yLv Mil?Mp!N)NgR&/ Tua>XZe1A>Et^IIllInI\
rtUll0AbAmEepEnd I)IdeIghtImOg<OtOwUsh0AllArtI!OkeOo`0A{AkeApIffOw0ApCc Ci$CkDaFtL?Ldi LidLut]L=Me#eNgOnRryRtUlUndUpUr)U\
`0A)A*Ati$AwnEakEci$EedEllEndH eI)Id IkeInIr.L.OilOns%O#OrtOtRayReadR(gY0Ua*UeezeUir*l_b!AdiumAffA+AirsAmpAndArtA>AyEakE\
elEmEpE*oI{IllIngO{Oma^O}OolOryO=Ra>gyReetRikeR#gRugg!Ud|UffUmb!Y!0Bje@Bm.BwayC)[ChDd&Ff G?G+,ItMm NNnyN'tP PplyP*meReRf\
a)R+Rpri'RroundR=ySpe@/a(1AllowAmpApArmE?EetIftImIngIt^Ord1MbolMptomRup/em:B!Ck!GIlL|LkNkPeR+tSk/eTtooXi3A^Am~NN<tNnisNt\
Rm/Xt_nkAtEmeEnE%yE*EyIngIsOughtReeRi=RowUmbUnd 0CketDeG LtMb MeNyPRedSsueT!5A,BaccoDayDdl EGe` I!tK&MatoM%rowNeNgueNigh\
tOlO`PP-Pp!R^RnadoRtoi'SsT$Uri,W?dW WnY_{AdeAff-Ag-A(Ansf ApAshA=lAyEatEeEndI$IbeI{Igg ImIpOphyOub!U{UeUlyUmpetU,U`Y2BeI\
t]Mb!NaN}lRkeyRnRt!1El=EntyI)InI,O1PeP-$:5Ly5B*lla0Ab!Awa*C!Cov D DoFairFoldHappyIf%mIqueItIv 'KnownLo{TilUsu$Veil1Da>Gr\
adeHoldOnP Set1B<Ge0A+EEdEfulE![U$0Il.y:C<tCuumGueLidL!yL=NNishP%Rious/Ult3H-!L=tNd%Ntu*NueRbRifyRs]RyS'lT <3Ab!Br<tCiou\
sCt%yDeoEw~a+Nta+Ol(Rtu$RusSaS.Su$T$Vid5C$I)IdLc<oLumeTeYa+:GeG#ItLk~LnutNtRfa*RmRri%ShSp/eT VeY3Al`Ap#ArA'lA` BDd(gEk&d\
IrdLcome/T_!AtEatEelEnE*IpIsp 0DeD`FeLd~NNdowNeNgNkNn Nt ReSdomSeShT}[5LfM<Nd OdOlRdRkRldRryR`_pE{E,!I,I>Ong::Rd3Ar~ow9U\
UngU`:3BraRo9NeO",checksum="0x3c8acc1e7b08d8e76f9fda015ef48dc8c710a73cb7e0f77b2c18a9b5a7adde60",wordlist=null,LangEn=class _LangEn extends WordlistOwl{static{
__name(this,"LangEn")}constructor(){super("en",words,checksum)}static wordlist(){return wordlist==null&&(wordlist=new _LangEn),
wordlist}};function getUpperMask(bits){return(1<<bits)-1<<8-bits&255}__name(getUpperMask,"getUpperMask");function getLowerMask(bits){
return(1<<bits)-1&255}__name(getLowerMask,"getLowerMask");function mnemonicToEntropy(mnemonic,wordlist2){assertNormalize(
"NFKD"),wordlist2==null&&(wordlist2=LangEn.wordlist());let words2=wordlist2.split(mnemonic);assertArgument(words2.length%
3===0&&words2.length>=12&&words2.length<=24,"invalid mnemonic length","mnemonic","[ REDACTED ]");let entropy=new Uint8Array(
Math.ceil(11*words2.length/8)),offset=0;for(let i=0;i<words2.length;i++){let index=wordlist2.getWordIndex(words2[i].normalize(
"NFKD"));assertArgument(index>=0,`invalid mnemonic word at index ${i}`,"mnemonic","[ REDACTED ]");for(let bit=0;bit<11;bit++)
index&1<<10-bit&&(entropy[offset>>3]|=1<<7-offset%8),offset++}let entropyBits=32*words2.length/3,checksumBits=words2.length/
3,checksumMask=getUpperMask(checksumBits),checksum2=getBytes(sha2563(entropy.slice(0,entropyBits/8)))[0]&checksumMask;return assertArgument(
checksum2===(entropy[entropy.length-1]&checksumMask),"invalid mnemonic checksum","mnemonic","[ REDACTED ]"),hexlify(entropy.
slice(0,entropyBits/8))}__name(mnemonicToEntropy,"mnemonicToEntropy");function entropyToMnemonic(entropy,wordlist2){assertArgument(
entropy.length%4===0&&entropy.length>=16&&entropy.length<=32,"invalid entropy size","entropy","[ REDACTED ]"),wordlist2==
null&&(wordlist2=LangEn.wordlist());let indices=[0],remainingBits=11;for(let i=0;i<entropy.length;i++)remainingBits>8?(indices[indices.
length-1]<<=8,indices[indices.length-1]|=entropy[i],remainingBits-=8):(indices[indices.length-1]<<=remainingBits,indices[indices.
length-1]|=entropy[i]>>8-remainingBits,indices.push(entropy[i]&getLowerMask(8-remainingBits)),remainingBits+=3);let checksumBits=entropy.
length/4,checksum2=parseInt(sha2563(entropy).substring(2,4),16)&getUpperMask(checksumBits);return indices[indices.length-
1]<<=checksumBits,indices[indices.length-1]|=checksum2>>8-checksumBits,wordlist2.join(indices.map(index=>wordlist2.getWord(
index)))}__name(entropyToMnemonic,"entropyToMnemonic");var _guard5={},Mnemonic=class _Mnemonic{static{__name(this,"Mnemo\
nic")}phrase;password;wordlist;entropy;constructor(guard,entropy,phrase,password,wordlist2){password==null&&(password=""),
wordlist2==null&&(wordlist2=LangEn.wordlist()),assertPrivate(guard,_guard5,"Mnemonic"),defineProperties(this,{phrase,password,
wordlist:wordlist2,entropy})}computeSeed(){let salt=toUtf8Bytes("mnemonic"+this.password,"NFKD");return pbkdf23(toUtf8Bytes(
this.phrase,"NFKD"),salt,2048,64,"sha512")}static fromPhrase(phrase,password,wordlist2){let entropy=mnemonicToEntropy(phrase,
wordlist2);return phrase=entropyToMnemonic(getBytes(entropy),wordlist2),new _Mnemonic(_guard5,entropy,phrase,password,wordlist2)}static fromEntropy(_entropy,password,wordlist2){
let entropy=getBytes(_entropy,"entropy"),phrase=entropyToMnemonic(entropy,wordlist2);return new _Mnemonic(_guard5,hexlify(
entropy),phrase,password,wordlist2)}static entropyToPhrase(_entropy,wordlist2){let entropy=getBytes(_entropy,"entropy");
return entropyToMnemonic(entropy,wordlist2)}static phraseToEntropy(phrase,wordlist2){return mnemonicToEntropy(phrase,wordlist2)}static isValidMnemonic(phrase,wordlist2){
try{return mnemonicToEntropy(phrase,wordlist2),!0}catch{}return!1}};var __classPrivateFieldGet=function(receiver,state,kind,f2){if(kind==="a"&&!f2)throw new TypeError("Private accessor was\
 defined without a getter");if(typeof state=="function"?receiver!==state||!f2:!state.has(receiver))throw new TypeError("\
Cannot read private member from an object whose class did not declare it");return kind==="m"?f2:kind==="a"?f2.call(receiver):
f2?f2.value:state.get(receiver)},__classPrivateFieldSet=function(receiver,state,value,kind,f2){if(kind==="m")throw new TypeError(
"Private method is not writable");if(kind==="a"&&!f2)throw new TypeError("Private accessor was defined without a setter");
if(typeof state=="function"?receiver!==state||!f2:!state.has(receiver))throw new TypeError("Cannot write private member \
to an object whose class did not declare it");return kind==="a"?f2.call(receiver,value):f2?f2.value=value:state.set(receiver,
value),value},_AES_key,_AES_Kd,_AES_Ke,numberOfRounds={16:10,24:12,32:14},rcon=[1,2,4,8,16,32,64,128,27,54,108,216,171,77,
154,47,94,188,99,198,151,53,106,212,179,125,250,239,197,145],S=[99,124,119,123,242,107,111,197,48,1,103,43,254,215,171,118,
202,130,201,125,250,89,71,240,173,212,162,175,156,164,114,192,183,253,147,38,54,63,247,204,52,165,229,241,113,216,49,21,
4,199,35,195,24,150,5,154,7,18,128,226,235,39,178,117,9,131,44,26,27,110,90,160,82,59,214,179,41,227,47,132,83,209,0,237,
32,252,177,91,106,203,190,57,74,76,88,207,208,239,170,251,67,77,51,133,69,249,2,127,80,60,159,168,81,163,64,143,146,157,
56,245,188,182,218,33,16,255,243,210,205,12,19,236,95,151,68,23,196,167,126,61,100,93,25,115,96,129,79,220,34,42,144,136,
70,238,184,20,222,94,11,219,224,50,58,10,73,6,36,92,194,211,172,98,145,149,228,121,231,200,55,109,141,213,78,169,108,86,
244,234,101,122,174,8,186,120,37,46,28,166,180,198,232,221,116,31,75,189,139,138,112,62,181,102,72,3,246,14,97,53,87,185,
134,193,29,158,225,248,152,17,105,217,142,148,155,30,135,233,206,85,40,223,140,161,137,13,191,230,66,104,65,153,45,15,176,
84,187,22],Si=[82,9,106,213,48,54,165,56,191,64,163,158,129,243,215,251,124,227,57,130,155,47,255,135,52,142,67,68,196,222,
233,203,84,123,148,50,166,194,35,61,238,76,149,11,66,250,195,78,8,46,161,102,40,217,36,178,118,91,162,73,109,139,209,37,
114,248,246,100,134,104,152,22,212,164,92,204,93,101,182,146,108,112,72,80,253,237,185,218,94,21,70,87,167,141,157,132,144,
216,171,0,140,188,211,10,247,228,88,5,184,179,69,6,208,44,30,143,202,63,15,2,193,175,189,3,1,19,138,107,58,145,17,65,79,
103,220,234,151,242,207,206,240,180,230,115,150,172,116,34,231,173,53,133,226,249,55,232,28,117,223,110,71,241,26,113,29,
41,197,137,111,183,98,14,170,24,190,27,252,86,62,75,198,210,121,32,154,219,192,254,120,205,90,244,31,221,168,51,136,7,199,
49,177,18,16,89,39,128,236,95,96,81,127,169,25,181,74,13,45,229,122,159,147,201,156,239,160,224,59,77,174,42,245,176,200,
235,187,60,131,83,153,97,23,43,4,126,186,119,214,38,225,105,20,99,85,33,12,125],T12=[3328402341,4168907908,4000806809,4135287693,
4294111757,3597364157,3731845041,2445657428,1613770832,33620227,3462883241,1445669757,3892248089,3050821474,1303096294,3967186586,
2412431941,528646813,2311702848,4202528135,4026202645,2992200171,2387036105,4226871307,1101901292,3017069671,1604494077,
1169141738,597466303,1403299063,3832705686,2613100635,1974974402,3791519004,1033081774,1277568618,1815492186,2118074177,
4126668546,2211236943,1748251740,1369810420,3521504564,4193382664,3799085459,2883115123,1647391059,706024767,134480908,2512897874,
1176707941,2646852446,806885416,932615841,168101135,798661301,235341577,605164086,461406363,3756188221,3454790438,1311188841,
2142417613,3933566367,302582043,495158174,1479289972,874125870,907746093,3698224818,3025820398,1537253627,2756858614,1983593293,
3084310113,2108928974,1378429307,3722699582,1580150641,327451799,2790478837,3117535592,0,3253595436,1075847264,3825007647,
2041688520,3059440621,3563743934,2378943302,1740553945,1916352843,2487896798,2555137236,2958579944,2244988746,3151024235,
3320835882,1336584933,3992714006,2252555205,2588757463,1714631509,293963156,2319795663,3925473552,67240454,4269768577,2689618160,
2017213508,631218106,1269344483,2723238387,1571005438,2151694528,93294474,1066570413,563977660,1882732616,4059428100,1673313503,
2008463041,2950355573,1109467491,537923632,3858759450,4260623118,3218264685,2177748300,403442708,638784309,3287084079,3193921505,
899127202,2286175436,773265209,2479146071,1437050866,4236148354,2050833735,3362022572,3126681063,840505643,3866325909,3227541664,
427917720,2655997905,2749160575,1143087718,1412049534,999329963,193497219,2353415882,3354324521,1807268051,672404540,2816401017,
3160301282,369822493,2916866934,3688947771,1681011286,1949973070,336202270,2454276571,201721354,1210328172,3093060836,2680341085,
3184776046,1135389935,3294782118,965841320,831886756,3554993207,4068047243,3588745010,2345191491,1849112409,3664604599,26054028,
2983581028,2622377682,1235855840,3630984372,2891339514,4092916743,3488279077,3395642799,4101667470,1202630377,268961816,
1874508501,4034427016,1243948399,1546530418,941366308,1470539505,1941222599,2546386513,3421038627,2715671932,3899946140,
1042226977,2521517021,1639824860,227249030,260737669,3765465232,2084453954,1907733956,3429263018,2420656344,100860677,4160157185,
470683154,3261161891,1781871967,2924959737,1773779408,394692241,2579611992,974986535,664706745,3655459128,3958962195,731420851,
571543859,3530123707,2849626480,126783113,865375399,765172662,1008606754,361203602,3387549984,2278477385,2857719295,1344809080,
2782912378,59542671,1503764984,160008576,437062935,1707065306,3622233649,2218934982,3496503480,2185314755,697932208,1512910199,
504303377,2075177163,2824099068,1841019862,739644986],T2=[2781242211,2230877308,2582542199,2381740923,234877682,3184946027,
2984144751,1418839493,1348481072,50462977,2848876391,2102799147,434634494,1656084439,3863849899,2599188086,1167051466,2636087938,
1082771913,2281340285,368048890,3954334041,3381544775,201060592,3963727277,1739838676,4250903202,3930435503,3206782108,4149453988,
2531553906,1536934080,3262494647,484572669,2923271059,1783375398,1517041206,1098792767,49674231,1334037708,1550332980,4098991525,
886171109,150598129,2481090929,1940642008,1398944049,1059722517,201851908,1385547719,1699095331,1587397571,674240536,2704774806,
252314885,3039795866,151914247,908333586,2602270848,1038082786,651029483,1766729511,3447698098,2682942837,454166793,2652734339,
1951935532,775166490,758520603,3000790638,4004797018,4217086112,4137964114,1299594043,1639438038,3464344499,2068982057,1054729187,
1901997871,2534638724,4121318227,1757008337,0,750906861,1614815264,535035132,3363418545,3988151131,3201591914,1183697867,
3647454910,1265776953,3734260298,3566750796,3903871064,1250283471,1807470800,717615087,3847203498,384695291,3313910595,3617213773,
1432761139,2484176261,3481945413,283769337,100925954,2180939647,4037038160,1148730428,3123027871,3813386408,4087501137,4267549603,
3229630528,2315620239,2906624658,3156319645,1215313976,82966005,3747855548,3245848246,1974459098,1665278241,807407632,451280895,
251524083,1841287890,1283575245,337120268,891687699,801369324,3787349855,2721421207,3431482436,959321879,1469301956,4065699751,
2197585534,1199193405,2898814052,3887750493,724703513,2514908019,2696962144,2551808385,3516813135,2141445340,1715741218,
2119445034,2872807568,2198571144,3398190662,700968686,3547052216,1009259540,2041044702,3803995742,487983883,1991105499,1004265696,
1449407026,1316239930,504629770,3683797321,168560134,1816667172,3837287516,1570751170,1857934291,4014189740,2797888098,2822345105,
2754712981,936633572,2347923833,852879335,1133234376,1500395319,3084545389,2348912013,1689376213,3533459022,3762923945,3034082412,
4205598294,133428468,634383082,2949277029,2398386810,3913789102,403703816,3580869306,2297460856,1867130149,1918643758,607656988,
4049053350,3346248884,1368901318,600565992,2090982877,2632479860,557719327,3717614411,3697393085,2249034635,2232388234,2430627952,
1115438654,3295786421,2865522278,3633334344,84280067,33027830,303828494,2747425121,1600795957,4188952407,3496589753,2434238086,
1486471617,658119965,3106381470,953803233,334231800,3005978776,857870609,3151128937,1890179545,2298973838,2805175444,3056442267,
574365214,2450884487,550103529,1233637070,4289353045,2018519080,2057691103,2399374476,4166623649,2148108681,387583245,3664101311,
836232934,3330556482,3100665960,3280093505,2955516313,2002398509,287182607,3413881008,4238890068,3597515707,975967766],T3=[
1671808611,2089089148,2006576759,2072901243,4061003762,1807603307,1873927791,3310653893,810573872,16974337,1739181671,729634347,
4263110654,3613570519,2883997099,1989864566,3393556426,2191335298,3376449993,2106063485,4195741690,1508618841,1204391495,
4027317232,2917941677,3563566036,2734514082,2951366063,2629772188,2767672228,1922491506,3227229120,3082974647,4246528509,
2477669779,644500518,911895606,1061256767,4144166391,3427763148,878471220,2784252325,3845444069,4043897329,1905517169,3631459288,
827548209,356461077,67897348,3344078279,593839651,3277757891,405286936,2527147926,84871685,2595565466,118033927,305538066,
2157648768,3795705826,3945188843,661212711,2999812018,1973414517,152769033,2208177539,745822252,439235610,455947803,1857215598,
1525593178,2700827552,1391895634,994932283,3596728278,3016654259,695947817,3812548067,795958831,2224493444,1408607827,3513301457,
0,3979133421,543178784,4229948412,2982705585,1542305371,1790891114,3410398667,3201918910,961245753,1256100938,1289001036,
1491644504,3477767631,3496721360,4012557807,2867154858,4212583931,1137018435,1305975373,861234739,2241073541,1171229253,
4178635257,33948674,2139225727,1357946960,1011120188,2679776671,2833468328,1374921297,2751356323,1086357568,2408187279,2460827538,
2646352285,944271416,4110742005,3168756668,3066132406,3665145818,560153121,271589392,4279952895,4077846003,3530407890,3444343245,
202643468,322250259,3962553324,1608629855,2543990167,1154254916,389623319,3294073796,2817676711,2122513534,1028094525,1689045092,
1575467613,422261273,1939203699,1621147744,2174228865,1339137615,3699352540,577127458,712922154,2427141008,2290289544,1187679302,
3995715566,3100863416,339486740,3732514782,1591917662,186455563,3681988059,3762019296,844522546,978220090,169743370,1239126601,
101321734,611076132,1558493276,3260915650,3547250131,2901361580,1655096418,2443721105,2510565781,3828863972,2039214713,3878868455,
3359869896,928607799,1840765549,2374762893,3580146133,1322425422,2850048425,1823791212,1459268694,4094161908,3928346602,
1706019429,2056189050,2934523822,135794696,3134549946,2022240376,628050469,779246638,472135708,2800834470,3032970164,3327236038,
3894660072,3715932637,1956440180,522272287,1272813131,3185336765,2340818315,2323976074,1888542832,1044544574,3049550261,
1722469478,1222152264,50660867,4127324150,236067854,1638122081,895445557,1475980887,3117443513,2257655686,3243809217,489110045,
2662934430,3778599393,4162055160,2561878936,288563729,1773916777,3648039385,2391345038,2493985684,2612407707,505560094,2274497927,
3911240169,3460925390,1442818645,678973480,3749357023,2358182796,2717407649,2306869641,219617805,3218761151,3862026214,1120306242,
1756942440,1103331905,2578459033,762796589,252780047,2966125488,1425844308,3151392187,372911126],T4=[1667474886,2088535288,
2004326894,2071694838,4075949567,1802223062,1869591006,3318043793,808472672,16843522,1734846926,724270422,4278065639,3621216949,
2880169549,1987484396,3402253711,2189597983,3385409673,2105378810,4210693615,1499065266,1195886990,4042263547,2913856577,
3570689971,2728590687,2947541573,2627518243,2762274643,1920112356,3233831835,3082273397,4261223649,2475929149,640051788,
909531756,1061110142,4160160501,3435941763,875846760,2779116625,3857003729,4059105529,1903268834,3638064043,825316194,353713962,
67374088,3351728789,589522246,3284360861,404236336,2526454071,84217610,2593830191,117901582,303183396,2155911963,3806477791,
3958056653,656894286,2998062463,1970642922,151591698,2206440989,741110872,437923380,454765878,1852748508,1515908788,2694904667,
1381168804,993742198,3604373943,3014905469,690584402,3823320797,791638366,2223281939,1398011302,3520161977,0,3991743681,
538992704,4244381667,2981218425,1532751286,1785380564,3419096717,3200178535,960056178,1246420628,1280103576,1482221744,3486468741,
3503319995,4025428677,2863326543,4227536621,1128514950,1296947098,859002214,2240123921,1162203018,4193849577,33687044,2139062782,
1347481760,1010582648,2678045221,2829640523,1364325282,2745433693,1077985408,2408548869,2459086143,2644360225,943212656,
4126475505,3166494563,3065430391,3671750063,555836226,269496352,4294908645,4092792573,3537006015,3452783745,202118168,320025894,
3974901699,1600119230,2543297077,1145359496,387397934,3301201811,2812801621,2122220284,1027426170,1684319432,1566435258,
421079858,1936954854,1616945344,2172753945,1330631070,3705438115,572679748,707427924,2425400123,2290647819,1179044492,4008585671,
3099120491,336870440,3739122087,1583276732,185277718,3688593069,3772791771,842159716,976899700,168435220,1229577106,101059084,
606366792,1549591736,3267517855,3553849021,2897014595,1650632388,2442242105,2509612081,3840161747,2038008818,3890688725,
3368567691,926374254,1835907034,2374863873,3587531953,1313788572,2846482505,1819063512,1448540844,4109633523,3941213647,
1701162954,2054852340,2930698567,134748176,3132806511,2021165296,623210314,774795868,471606328,2795958615,3031746419,3334885783,
3907527627,3722280097,1953799400,522133822,1263263126,3183336545,2341176845,2324333839,1886425312,1044267644,3048588401,
1718004428,1212733584,50529542,4143317495,235803164,1633788866,892690282,1465383342,3115962473,2256965911,3250673817,488449850,
2661202215,3789633753,4177007595,2560144171,286339874,1768537042,3654906025,2391705863,2492770099,2610673197,505291324,2273808917,
3924369609,3469625735,1431699370,673740880,3755965093,2358021891,2711746649,2307489801,218961690,3217021541,3873845719,1111672452,
1751693520,1094828930,2576986153,757954394,252645662,2964376443,1414855848,3149649517,370555436],T5=[1374988112,2118214995,
437757123,975658646,1001089995,530400753,2902087851,1273168787,540080725,2910219766,2295101073,4110568485,1340463100,3307916247,
641025152,3043140495,3736164937,632953703,1172967064,1576976609,3274667266,2169303058,2370213795,1809054150,59727847,361929877,
3211623147,2505202138,3569255213,1484005843,1239443753,2395588676,1975683434,4102977912,2572697195,666464733,3202437046,
4035489047,3374361702,2110667444,1675577880,3843699074,2538681184,1649639237,2976151520,3144396420,4269907996,4178062228,
1883793496,2403728665,2497604743,1383856311,2876494627,1917518562,3810496343,1716890410,3001755655,800440835,2261089178,
3543599269,807962610,599762354,33778362,3977675356,2328828971,2809771154,4077384432,1315562145,1708848333,101039829,3509871135,
3299278474,875451293,2733856160,92987698,2767645557,193195065,1080094634,1584504582,3178106961,1042385657,2531067453,3711829422,
1306967366,2438237621,1908694277,67556463,1615861247,429456164,3602770327,2302690252,1742315127,2968011453,126454664,3877198648,
2043211483,2709260871,2084704233,4169408201,0,159417987,841739592,504459436,1817866830,4245618683,260388950,1034867998,908933415,
168810852,1750902305,2606453969,607530554,202008497,2472011535,3035535058,463180190,2160117071,1641816226,1517767529,470948374,
3801332234,3231722213,1008918595,303765277,235474187,4069246893,766945465,337553864,1475418501,2943682380,4003061179,2743034109,
4144047775,1551037884,1147550661,1543208500,2336434550,3408119516,3069049960,3102011747,3610369226,1113818384,328671808,
2227573024,2236228733,3535486456,2935566865,3341394285,496906059,3702665459,226906860,2009195472,733156972,2842737049,294930682,
1206477858,2835123396,2700099354,1451044056,573804783,2269728455,3644379585,2362090238,2564033334,2801107407,2776292904,
3669462566,1068351396,742039012,1350078989,1784663195,1417561698,4136440770,2430122216,775550814,2193862645,2673705150,1775276924,
1876241833,3475313331,3366754619,270040487,3902563182,3678124923,3441850377,1851332852,3969562369,2203032232,3868552805,
2868897406,566021896,4011190502,3135740889,1248802510,3936291284,699432150,832877231,708780849,3332740144,899835584,1951317047,
4236429990,3767586992,866637845,4043610186,1106041591,2144161806,395441711,1984812685,1139781709,3433712980,3835036895,2664543715,
1282050075,3240894392,1181045119,2640243204,25965917,4203181171,4211818798,3009879386,2463879762,3910161971,1842759443,2597806476,
933301370,1509430414,3943906441,3467192302,3076639029,3776767469,2051518780,2631065433,1441952575,404016761,1942435775,1408749034,
1610459739,3745345300,2017778566,3400528769,3110650942,941896748,3265478751,371049330,3168937228,675039627,4279080257,967311729,
135050206,3635733660,1683407248,2076935265,3576870512,1215061108,3501741890],T6=[1347548327,1400783205,3273267108,2520393566,
3409685355,4045380933,2880240216,2471224067,1428173050,4138563181,2441661558,636813900,4233094615,3620022987,2149987652,
2411029155,1239331162,1730525723,2554718734,3781033664,46346101,310463728,2743944855,3328955385,3875770207,2501218972,3955191162,
3667219033,768917123,3545789473,692707433,1150208456,1786102409,2029293177,1805211710,3710368113,3065962831,401639597,1724457132,
3028143674,409198410,2196052529,1620529459,1164071807,3769721975,2226875310,486441376,2499348523,1483753576,428819965,2274680428,
3075636216,598438867,3799141122,1474502543,711349675,129166120,53458370,2592523643,2782082824,4063242375,2988687269,3120694122,
1559041666,730517276,2460449204,4042459122,2706270690,3446004468,3573941694,533804130,2328143614,2637442643,2695033685,839224033,
1973745387,957055980,2856345839,106852767,1371368976,4181598602,1033297158,2933734917,1179510461,3046200461,91341917,1862534868,
4284502037,605657339,2547432937,3431546947,2003294622,3182487618,2282195339,954669403,3682191598,1201765386,3917234703,3388507166,
0,2198438022,1211247597,2887651696,1315723890,4227665663,1443857720,507358933,657861945,1678381017,560487590,3516619604,
975451694,2970356327,261314535,3535072918,2652609425,1333838021,2724322336,1767536459,370938394,182621114,3854606378,1128014560,
487725847,185469197,2918353863,3106780840,3356761769,2237133081,1286567175,3152976349,4255350624,2683765030,3160175349,3309594171,
878443390,1988838185,3704300486,1756818940,1673061617,3403100636,272786309,1075025698,545572369,2105887268,4174560061,296679730,
1841768865,1260232239,4091327024,3960309330,3497509347,1814803222,2578018489,4195456072,575138148,3299409036,446754879,3629546796,
4011996048,3347532110,3252238545,4270639778,915985419,3483825537,681933534,651868046,2755636671,3828103837,223377554,2607439820,
1649704518,3270937875,3901806776,1580087799,4118987695,3198115200,2087309459,2842678573,3016697106,1003007129,2802849917,
1860738147,2077965243,164439672,4100872472,32283319,2827177882,1709610350,2125135846,136428751,3874428392,3652904859,3460984630,
3572145929,3593056380,2939266226,824852259,818324884,3224740454,930369212,2801566410,2967507152,355706840,1257309336,4148292826,
243256656,790073846,2373340630,1296297904,1422699085,3756299780,3818836405,457992840,3099667487,2135319889,77422314,1560382517,
1945798516,788204353,1521706781,1385356242,870912086,325965383,2358957921,2050466060,2388260884,2313884476,4006521127,901210569,
3990953189,1014646705,1503449823,1062597235,2031621326,3212035895,3931371469,1533017514,350174575,2256028891,2177544179,
1052338372,741876788,1606591296,1914052035,213705253,2334669897,1107234197,1899603969,3725069491,2631447780,2422494913,1635502980,
1893020342,1950903388,1120974935],T7=[2807058932,1699970625,2764249623,1586903591,1808481195,1173430173,1487645946,59984867,
4199882800,1844882806,1989249228,1277555970,3623636965,3419915562,1149249077,2744104290,1514790577,459744698,244860394,3235995134,
1963115311,4027744588,2544078150,4190530515,1608975247,2627016082,2062270317,1507497298,2200818878,567498868,1764313568,
3359936201,2305455554,2037970062,1047239e3,1910319033,1337376481,2904027272,2892417312,984907214,1243112415,830661914,861968209,
2135253587,2011214180,2927934315,2686254721,731183368,1750626376,4246310725,1820824798,4172763771,3542330227,48394827,2404901663,
2871682645,671593195,3254988725,2073724613,145085239,2280796200,2779915199,1790575107,2187128086,472615631,3029510009,4075877127,
3802222185,4107101658,3201631749,1646252340,4270507174,1402811438,1436590835,3778151818,3950355702,3963161475,4020912224,
2667994737,273792366,2331590177,104699613,95345982,3175501286,2377486676,1560637892,3564045318,369057872,4213447064,3919042237,
1137477952,2658625497,1119727848,2340947849,1530455833,4007360968,172466556,266959938,516552836,0,2256734592,3980931627,
1890328081,1917742170,4294704398,945164165,3575528878,958871085,3647212047,2787207260,1423022939,775562294,1739656202,3876557655,
2530391278,2443058075,3310321856,547512796,1265195639,437656594,3121275539,719700128,3762502690,387781147,218828297,3350065803,
2830708150,2848461854,428169201,122466165,3720081049,1627235199,648017665,4122762354,1002783846,2117360635,695634755,3336358691,
4234721005,4049844452,3704280881,2232435299,574624663,287343814,612205898,1039717051,840019705,2708326185,793451934,821288114,
1391201670,3822090177,376187827,3113855344,1224348052,1679968233,2361698556,1058709744,752375421,2431590963,1321699145,3519142200,
2734591178,188127444,2177869557,3727205754,2384911031,3215212461,2648976442,2450346104,3432737375,1180849278,331544205,3102249176,
4150144569,2952102595,2159976285,2474404304,766078933,313773861,2570832044,2108100632,1668212892,3145456443,2013908262,418672217,
3070356634,2594734927,1852171925,3867060991,3473416636,3907448597,2614737639,919489135,164948639,2094410160,2997825956,590424639,
2486224549,1723872674,3157750862,3399941250,3501252752,3625268135,2555048196,3673637356,1343127501,4130281361,3599595085,
2957853679,1297403050,81781910,3051593425,2283490410,532201772,1367295589,3926170974,895287692,1953757831,1093597963,492483431,
3528626907,1446242576,1192455638,1636604631,209336225,344873464,1015671571,669961897,3375740769,3857572124,2973530695,3747192018,
1933530610,3464042516,935293895,3454686199,2858115069,1863638845,3683022916,4085369519,3292445032,875313188,1080017571,3279033885,
621591778,1233856572,2504130317,24197544,3017672716,3835484340,3247465558,2220981195,3060847922,1551124588,1463996600],T8=[
4104605777,1097159550,396673818,660510266,2875968315,2638606623,4200115116,3808662347,821712160,1986918061,3430322568,38544885,
3856137295,718002117,893681702,1654886325,2975484382,3122358053,3926825029,4274053469,796197571,1290801793,1184342925,3556361835,
2405426947,2459735317,1836772287,1381620373,3196267988,1948373848,3764988233,3385345166,3263785589,2390325492,1480485785,
3111247143,3780097726,2293045232,548169417,3459953789,3746175075,439452389,1362321559,1400849762,1685577905,1806599355,2174754046,
137073913,1214797936,1174215055,3731654548,2079897426,1943217067,1258480242,529487843,1437280870,3945269170,3049390895,3313212038,
923313619,679998e3,3215307299,57326082,377642221,3474729866,2041877159,133361907,1776460110,3673476453,96392454,878845905,
2801699524,777231668,4082475170,2330014213,4142626212,2213296395,1626319424,1906247262,1846563261,562755902,3708173718,1040559837,
3871163981,1418573201,3294430577,114585348,1343618912,2566595609,3186202582,1078185097,3651041127,3896688048,2307622919,
425408743,3371096953,2081048481,1108339068,2216610296,0,2156299017,736970802,292596766,1517440620,251657213,2235061775,2933202493,
758720310,265905162,1554391400,1532285339,908999204,174567692,1474760595,4002861748,2610011675,3234156416,3693126241,2001430874,
303699484,2478443234,2687165888,585122620,454499602,151849742,2345119218,3064510765,514443284,4044981591,1963412655,2581445614,
2137062819,19308535,1928707164,1715193156,4219352155,1126790795,600235211,3992742070,3841024952,836553431,1669664834,2535604243,
3323011204,1243905413,3141400786,4180808110,698445255,2653899549,2989552604,2253581325,3252932727,3004591147,1891211689,
2487810577,3915653703,4237083816,4030667424,2100090966,865136418,1229899655,953270745,3399679628,3557504664,4118925222,2061379749,
3079546586,2915017791,983426092,2022837584,1607244650,2118541908,2366882550,3635996816,972512814,3283088770,1568718495,3499326569,
3576539503,621982671,2895723464,410887952,2623762152,1002142683,645401037,1494807662,2595684844,1335535747,2507040230,4293295786,
3167684641,367585007,3885750714,1865862730,2668221674,2960971305,2763173681,1059270954,2777952454,2724642869,1320957812,
2194319100,2429595872,2815956275,77089521,3973773121,3444575871,2448830231,1305906550,4021308739,2857194700,2516901860,3518358430,
1787304780,740276417,1699839814,1592394909,2352307457,2272556026,188821243,1729977011,3687994002,274084841,3594982253,3613494426,
2701949495,4162096729,322734571,2837966542,1640576439,484830689,1202797690,3537852828,4067639125,349075736,3342319475,4157467219,
4255800159,1030690015,1155237496,2951971274,1757691577,607398968,2738905026,499347990,3794078908,1011452712,227885567,2818666809,
213114376,3034881240,1455525988,3414450555,850817237,1817998408,3092726480],U1=[0,235474187,470948374,303765277,941896748,
908933415,607530554,708780849,1883793496,2118214995,1817866830,1649639237,1215061108,1181045119,1417561698,1517767529,3767586992,
4003061179,4236429990,4069246893,3635733660,3602770327,3299278474,3400528769,2430122216,2664543715,2362090238,2193862645,
2835123396,2801107407,3035535058,3135740889,3678124923,3576870512,3341394285,3374361702,3810496343,3977675356,4279080257,
4043610186,2876494627,2776292904,3076639029,3110650942,2472011535,2640243204,2403728665,2169303058,1001089995,899835584,
666464733,699432150,59727847,226906860,530400753,294930682,1273168787,1172967064,1475418501,1509430414,1942435775,2110667444,
1876241833,1641816226,2910219766,2743034109,2976151520,3211623147,2505202138,2606453969,2302690252,2269728455,3711829422,
3543599269,3240894392,3475313331,3843699074,3943906441,4178062228,4144047775,1306967366,1139781709,1374988112,1610459739,
1975683434,2076935265,1775276924,1742315127,1034867998,866637845,566021896,800440835,92987698,193195065,429456164,395441711,
1984812685,2017778566,1784663195,1683407248,1315562145,1080094634,1383856311,1551037884,101039829,135050206,437757123,337553864,
1042385657,807962610,573804783,742039012,2531067453,2564033334,2328828971,2227573024,2935566865,2700099354,3001755655,3168937228,
3868552805,3902563182,4203181171,4102977912,3736164937,3501741890,3265478751,3433712980,1106041591,1340463100,1576976609,
1408749034,2043211483,2009195472,1708848333,1809054150,832877231,1068351396,766945465,599762354,159417987,126454664,361929877,
463180190,2709260871,2943682380,3178106961,3009879386,2572697195,2538681184,2236228733,2336434550,3509871135,3745345300,
3441850377,3274667266,3910161971,3877198648,4110568485,4211818798,2597806476,2497604743,2261089178,2295101073,2733856160,
2902087851,3202437046,2968011453,3936291284,3835036895,4136440770,4169408201,3535486456,3702665459,3467192302,3231722213,
2051518780,1951317047,1716890410,1750902305,1113818384,1282050075,1584504582,1350078989,168810852,67556463,371049330,404016761,
841739592,1008918595,775550814,540080725,3969562369,3801332234,4035489047,4269907996,3569255213,3669462566,3366754619,3332740144,
2631065433,2463879762,2160117071,2395588676,2767645557,2868897406,3102011747,3069049960,202008497,33778362,270040487,504459436,
875451293,975658646,675039627,641025152,2084704233,1917518562,1615861247,1851332852,1147550661,1248802510,1484005843,1451044056,
933301370,967311729,733156972,632953703,260388950,25965917,328671808,496906059,1206477858,1239443753,1543208500,1441952575,
2144161806,1908694277,1675577880,1842759443,3610369226,3644379585,3408119516,3307916247,4011190502,3776767469,4077384432,
4245618683,2809771154,2842737049,3144396420,3043140495,2673705150,2438237621,2203032232,2370213795],U2=[0,185469197,370938394,
487725847,741876788,657861945,975451694,824852259,1483753576,1400783205,1315723890,1164071807,1950903388,2135319889,1649704518,
1767536459,2967507152,3152976349,2801566410,2918353863,2631447780,2547432937,2328143614,2177544179,3901806776,3818836405,
4270639778,4118987695,3299409036,3483825537,3535072918,3652904859,2077965243,1893020342,1841768865,1724457132,1474502543,
1559041666,1107234197,1257309336,598438867,681933534,901210569,1052338372,261314535,77422314,428819965,310463728,3409685355,
3224740454,3710368113,3593056380,3875770207,3960309330,4045380933,4195456072,2471224067,2554718734,2237133081,2388260884,
3212035895,3028143674,2842678573,2724322336,4138563181,4255350624,3769721975,3955191162,3667219033,3516619604,3431546947,
3347532110,2933734917,2782082824,3099667487,3016697106,2196052529,2313884476,2499348523,2683765030,1179510461,1296297904,
1347548327,1533017514,1786102409,1635502980,2087309459,2003294622,507358933,355706840,136428751,53458370,839224033,957055980,
605657339,790073846,2373340630,2256028891,2607439820,2422494913,2706270690,2856345839,3075636216,3160175349,3573941694,3725069491,
3273267108,3356761769,4181598602,4063242375,4011996048,3828103837,1033297158,915985419,730517276,545572369,296679730,446754879,
129166120,213705253,1709610350,1860738147,1945798516,2029293177,1239331162,1120974935,1606591296,1422699085,4148292826,4233094615,
3781033664,3931371469,3682191598,3497509347,3446004468,3328955385,2939266226,2755636671,3106780840,2988687269,2198438022,
2282195339,2501218972,2652609425,1201765386,1286567175,1371368976,1521706781,1805211710,1620529459,2105887268,1988838185,
533804130,350174575,164439672,46346101,870912086,954669403,636813900,788204353,2358957921,2274680428,2592523643,2441661558,
2695033685,2880240216,3065962831,3182487618,3572145929,3756299780,3270937875,3388507166,4174560061,4091327024,4006521127,
3854606378,1014646705,930369212,711349675,560487590,272786309,457992840,106852767,223377554,1678381017,1862534868,1914052035,
2031621326,1211247597,1128014560,1580087799,1428173050,32283319,182621114,401639597,486441376,768917123,651868046,1003007129,
818324884,1503449823,1385356242,1333838021,1150208456,1973745387,2125135846,1673061617,1756818940,2970356327,3120694122,
2802849917,2887651696,2637442643,2520393566,2334669897,2149987652,3917234703,3799141122,4284502037,4100872472,3309594171,
3460984630,3545789473,3629546796,2050466060,1899603969,1814803222,1730525723,1443857720,1560382517,1075025698,1260232239,
575138148,692707433,878443390,1062597235,243256656,91341917,409198410,325965383,3403100636,3252238545,3704300486,3620022987,
3874428392,3990953189,4042459122,4227665663,2460449204,2578018489,2226875310,2411029155,3198115200,3046200461,2827177882,
2743944855],U3=[0,218828297,437656594,387781147,875313188,958871085,775562294,590424639,1750626376,1699970625,1917742170,
2135253587,1551124588,1367295589,1180849278,1265195639,3501252752,3720081049,3399941250,3350065803,3835484340,3919042237,
4270507174,4085369519,3102249176,3051593425,2734591178,2952102595,2361698556,2177869557,2530391278,2614737639,3145456443,
3060847922,2708326185,2892417312,2404901663,2187128086,2504130317,2555048196,3542330227,3727205754,3375740769,3292445032,
3876557655,3926170974,4246310725,4027744588,1808481195,1723872674,1910319033,2094410160,1608975247,1391201670,1173430173,
1224348052,59984867,244860394,428169201,344873464,935293895,984907214,766078933,547512796,1844882806,1627235199,2011214180,
2062270317,1507497298,1423022939,1137477952,1321699145,95345982,145085239,532201772,313773861,830661914,1015671571,731183368,
648017665,3175501286,2957853679,2807058932,2858115069,2305455554,2220981195,2474404304,2658625497,3575528878,3625268135,
3473416636,3254988725,3778151818,3963161475,4213447064,4130281361,3599595085,3683022916,3432737375,3247465558,3802222185,
4020912224,4172763771,4122762354,3201631749,3017672716,2764249623,2848461854,2331590177,2280796200,2431590963,2648976442,
104699613,188127444,472615631,287343814,840019705,1058709744,671593195,621591778,1852171925,1668212892,1953757831,2037970062,
1514790577,1463996600,1080017571,1297403050,3673637356,3623636965,3235995134,3454686199,4007360968,3822090177,4107101658,
4190530515,2997825956,3215212461,2830708150,2779915199,2256734592,2340947849,2627016082,2443058075,172466556,122466165,273792366,
492483431,1047239e3,861968209,612205898,695634755,1646252340,1863638845,2013908262,1963115311,1446242576,1530455833,1277555970,
1093597963,1636604631,1820824798,2073724613,1989249228,1436590835,1487645946,1337376481,1119727848,164948639,81781910,331544205,
516552836,1039717051,821288114,669961897,719700128,2973530695,3157750862,2871682645,2787207260,2232435299,2283490410,2667994737,
2450346104,3647212047,3564045318,3279033885,3464042516,3980931627,3762502690,4150144569,4199882800,3070356634,3121275539,
2904027272,2686254721,2200818878,2384911031,2570832044,2486224549,3747192018,3528626907,3310321856,3359936201,3950355702,
3867060991,4049844452,4234721005,1739656202,1790575107,2108100632,1890328081,1402811438,1586903591,1233856572,1149249077,
266959938,48394827,369057872,418672217,1002783846,919489135,567498868,752375421,209336225,24197544,376187827,459744698,945164165,
895287692,574624663,793451934,1679968233,1764313568,2117360635,1933530610,1343127501,1560637892,1243112415,1192455638,3704280881,
3519142200,3336358691,3419915562,3907448597,3857572124,4075877127,4294704398,3029510009,3113855344,2927934315,2744104290,
2159976285,2377486676,2594734927,2544078150],U4=[0,151849742,303699484,454499602,607398968,758720310,908999204,1059270954,
1214797936,1097159550,1517440620,1400849762,1817998408,1699839814,2118541908,2001430874,2429595872,2581445614,2194319100,
2345119218,3034881240,3186202582,2801699524,2951971274,3635996816,3518358430,3399679628,3283088770,4237083816,4118925222,
4002861748,3885750714,1002142683,850817237,698445255,548169417,529487843,377642221,227885567,77089521,1943217067,2061379749,
1640576439,1757691577,1474760595,1592394909,1174215055,1290801793,2875968315,2724642869,3111247143,2960971305,2405426947,
2253581325,2638606623,2487810577,3808662347,3926825029,4044981591,4162096729,3342319475,3459953789,3576539503,3693126241,
1986918061,2137062819,1685577905,1836772287,1381620373,1532285339,1078185097,1229899655,1040559837,923313619,740276417,621982671,
439452389,322734571,137073913,19308535,3871163981,4021308739,4104605777,4255800159,3263785589,3414450555,3499326569,3651041127,
2933202493,2815956275,3167684641,3049390895,2330014213,2213296395,2566595609,2448830231,1305906550,1155237496,1607244650,
1455525988,1776460110,1626319424,2079897426,1928707164,96392454,213114376,396673818,514443284,562755902,679998e3,865136418,
983426092,3708173718,3557504664,3474729866,3323011204,4180808110,4030667424,3945269170,3794078908,2507040230,2623762152,
2272556026,2390325492,2975484382,3092726480,2738905026,2857194700,3973773121,3856137295,4274053469,4157467219,3371096953,
3252932727,3673476453,3556361835,2763173681,2915017791,3064510765,3215307299,2156299017,2307622919,2459735317,2610011675,
2081048481,1963412655,1846563261,1729977011,1480485785,1362321559,1243905413,1126790795,878845905,1030690015,645401037,796197571,
274084841,425408743,38544885,188821243,3613494426,3731654548,3313212038,3430322568,4082475170,4200115116,3780097726,3896688048,
2668221674,2516901860,2366882550,2216610296,3141400786,2989552604,2837966542,2687165888,1202797690,1320957812,1437280870,
1554391400,1669664834,1787304780,1906247262,2022837584,265905162,114585348,499347990,349075736,736970802,585122620,972512814,
821712160,2595684844,2478443234,2293045232,2174754046,3196267988,3079546586,2895723464,2777952454,3537852828,3687994002,
3234156416,3385345166,4142626212,4293295786,3841024952,3992742070,174567692,57326082,410887952,292596766,777231668,660510266,
1011452712,893681702,1108339068,1258480242,1343618912,1494807662,1715193156,1865862730,1948373848,2100090966,2701949495,
2818666809,3004591147,3122358053,2235061775,2352307457,2535604243,2653899549,3915653703,3764988233,4219352155,4067639125,
3444575871,3294430577,3746175075,3594982253,836553431,953270745,600235211,718002117,367585007,484830689,133361907,251657213,
2041877159,1891211689,1806599355,1654886325,1568718495,1418573201,1335535747,1184342925];function convertToInt32(bytes2){
let result=[];for(let i=0;i<bytes2.length;i+=4)result.push(bytes2[i]<<24|bytes2[i+1]<<16|bytes2[i+2]<<8|bytes2[i+3]);return result}
__name(convertToInt32,"convertToInt32");var AES=class _AES{static{__name(this,"AES")}get key(){return __classPrivateFieldGet(
this,_AES_key,"f").slice()}constructor(key){if(_AES_key.set(this,void 0),_AES_Kd.set(this,void 0),_AES_Ke.set(this,void 0),
!(this instanceof _AES))throw Error("AES must be instanitated with `new`");__classPrivateFieldSet(this,_AES_key,new Uint8Array(
key),"f");let rounds=numberOfRounds[this.key.length];if(rounds==null)throw new TypeError("invalid key size (must be 16, \
24 or 32 bytes)");__classPrivateFieldSet(this,_AES_Ke,[],"f"),__classPrivateFieldSet(this,_AES_Kd,[],"f");for(let i=0;i<=
rounds;i++)__classPrivateFieldGet(this,_AES_Ke,"f").push([0,0,0,0]),__classPrivateFieldGet(this,_AES_Kd,"f").push([0,0,0,
0]);let roundKeyCount=(rounds+1)*4,KC=this.key.length/4,tk=convertToInt32(this.key),index;for(let i=0;i<KC;i++)index=i>>
2,__classPrivateFieldGet(this,_AES_Ke,"f")[index][i%4]=tk[i],__classPrivateFieldGet(this,_AES_Kd,"f")[rounds-index][i%4]=
tk[i];let rconpointer=0,t=KC,tt;for(;t<roundKeyCount;){if(tt=tk[KC-1],tk[0]^=S[tt>>16&255]<<24^S[tt>>8&255]<<16^S[tt&255]<<
8^S[tt>>24&255]^rcon[rconpointer]<<24,rconpointer+=1,KC!=8)for(let i2=1;i2<KC;i2++)tk[i2]^=tk[i2-1];else{for(let i2=1;i2<
KC/2;i2++)tk[i2]^=tk[i2-1];tt=tk[KC/2-1],tk[KC/2]^=S[tt&255]^S[tt>>8&255]<<8^S[tt>>16&255]<<16^S[tt>>24&255]<<24;for(let i2=KC/
2+1;i2<KC;i2++)tk[i2]^=tk[i2-1]}let i=0,r,c;for(;i<KC&&t<roundKeyCount;)r=t>>2,c=t%4,__classPrivateFieldGet(this,_AES_Ke,
"f")[r][c]=tk[i],__classPrivateFieldGet(this,_AES_Kd,"f")[rounds-r][c]=tk[i++],t++}for(let r=1;r<rounds;r++)for(let c=0;c<
4;c++)tt=__classPrivateFieldGet(this,_AES_Kd,"f")[r][c],__classPrivateFieldGet(this,_AES_Kd,"f")[r][c]=U1[tt>>24&255]^U2[tt>>
16&255]^U3[tt>>8&255]^U4[tt&255]}encrypt(plaintext){if(plaintext.length!=16)throw new TypeError("invalid plaintext size \
(must be 16 bytes)");let rounds=__classPrivateFieldGet(this,_AES_Ke,"f").length-1,a=[0,0,0,0],t=convertToInt32(plaintext);
for(let i=0;i<4;i++)t[i]^=__classPrivateFieldGet(this,_AES_Ke,"f")[0][i];for(let r=1;r<rounds;r++){for(let i=0;i<4;i++)a[i]=
T12[t[i]>>24&255]^T2[t[(i+1)%4]>>16&255]^T3[t[(i+2)%4]>>8&255]^T4[t[(i+3)%4]&255]^__classPrivateFieldGet(this,_AES_Ke,"f")[r][i];
t=a.slice()}let result=new Uint8Array(16),tt=0;for(let i=0;i<4;i++)tt=__classPrivateFieldGet(this,_AES_Ke,"f")[rounds][i],
result[4*i]=(S[t[i]>>24&255]^tt>>24)&255,result[4*i+1]=(S[t[(i+1)%4]>>16&255]^tt>>16)&255,result[4*i+2]=(S[t[(i+2)%4]>>8&
255]^tt>>8)&255,result[4*i+3]=(S[t[(i+3)%4]&255]^tt)&255;return result}decrypt(ciphertext){if(ciphertext.length!=16)throw new TypeError(
"invalid ciphertext size (must be 16 bytes)");let rounds=__classPrivateFieldGet(this,_AES_Kd,"f").length-1,a=[0,0,0,0],t=convertToInt32(
ciphertext);for(let i=0;i<4;i++)t[i]^=__classPrivateFieldGet(this,_AES_Kd,"f")[0][i];for(let r=1;r<rounds;r++){for(let i=0;i<
4;i++)a[i]=T5[t[i]>>24&255]^T6[t[(i+3)%4]>>16&255]^T7[t[(i+2)%4]>>8&255]^T8[t[(i+1)%4]&255]^__classPrivateFieldGet(this,
_AES_Kd,"f")[r][i];t=a.slice()}let result=new Uint8Array(16),tt=0;for(let i=0;i<4;i++)tt=__classPrivateFieldGet(this,_AES_Kd,
"f")[rounds][i],result[4*i]=(Si[t[i]>>24&255]^tt>>24)&255,result[4*i+1]=(Si[t[(i+3)%4]>>16&255]^tt>>16)&255,result[4*i+2]=
(Si[t[(i+2)%4]>>8&255]^tt>>8)&255,result[4*i+3]=(Si[t[(i+1)%4]&255]^tt)&255;return result}};_AES_key=new WeakMap,_AES_Kd=
new WeakMap,_AES_Ke=new WeakMap;var ModeOfOperation=class{static{__name(this,"ModeOfOperation")}constructor(name,key,cls){if(cls&&!(this instanceof cls))
throw new Error(`${name} must be instantiated with "new"`);Object.defineProperties(this,{aes:{enumerable:!0,value:new AES(
key)},name:{enumerable:!0,value:name}})}};var __classPrivateFieldSet2=function(receiver,state,value,kind,f2){if(kind==="m")throw new TypeError("Private method is \
not writable");if(kind==="a"&&!f2)throw new TypeError("Private accessor was defined without a setter");if(typeof state==
"function"?receiver!==state||!f2:!state.has(receiver))throw new TypeError("Cannot write private member to an object whos\
e class did not declare it");return kind==="a"?f2.call(receiver,value):f2?f2.value=value:state.set(receiver,value),value},
__classPrivateFieldGet2=function(receiver,state,kind,f2){if(kind==="a"&&!f2)throw new TypeError("Private accessor was de\
fined without a getter");if(typeof state=="function"?receiver!==state||!f2:!state.has(receiver))throw new TypeError("Can\
not read private member from an object whose class did not declare it");return kind==="m"?f2:kind==="a"?f2.call(receiver):
f2?f2.value:state.get(receiver)},_CBC_iv,_CBC_lastBlock,CBC=class _CBC extends ModeOfOperation{static{__name(this,"CBC")}constructor(key,iv){
if(super("ECC",key,_CBC),_CBC_iv.set(this,void 0),_CBC_lastBlock.set(this,void 0),iv){if(iv.length%16)throw new TypeError(
"invalid iv size (must be 16 bytes)");__classPrivateFieldSet2(this,_CBC_iv,new Uint8Array(iv),"f")}else __classPrivateFieldSet2(
this,_CBC_iv,new Uint8Array(16),"f");__classPrivateFieldSet2(this,_CBC_lastBlock,this.iv,"f")}get iv(){return new Uint8Array(
__classPrivateFieldGet2(this,_CBC_iv,"f"))}encrypt(plaintext){if(plaintext.length%16)throw new TypeError("invalid plaint\
ext size (must be multiple of 16 bytes)");let ciphertext=new Uint8Array(plaintext.length);for(let i=0;i<plaintext.length;i+=
16){for(let j=0;j<16;j++)__classPrivateFieldGet2(this,_CBC_lastBlock,"f")[j]^=plaintext[i+j];__classPrivateFieldSet2(this,
_CBC_lastBlock,this.aes.encrypt(__classPrivateFieldGet2(this,_CBC_lastBlock,"f")),"f"),ciphertext.set(__classPrivateFieldGet2(
this,_CBC_lastBlock,"f"),i)}return ciphertext}decrypt(ciphertext){if(ciphertext.length%16)throw new TypeError("invalid c\
iphertext size (must be multiple of 16 bytes)");let plaintext=new Uint8Array(ciphertext.length);for(let i=0;i<ciphertext.
length;i+=16){let block=this.aes.decrypt(ciphertext.subarray(i,i+16));for(let j=0;j<16;j++)plaintext[i+j]=block[j]^__classPrivateFieldGet2(
this,_CBC_lastBlock,"f")[j],__classPrivateFieldGet2(this,_CBC_lastBlock,"f")[j]=ciphertext[i+j]}return plaintext}};_CBC_iv=
new WeakMap,_CBC_lastBlock=new WeakMap;var __classPrivateFieldGet3=function(receiver,state,kind,f2){if(kind==="a"&&!f2)throw new TypeError("Private accessor wa\
s defined without a getter");if(typeof state=="function"?receiver!==state||!f2:!state.has(receiver))throw new TypeError(
"Cannot read private member from an object whose class did not declare it");return kind==="m"?f2:kind==="a"?f2.call(receiver):
f2?f2.value:state.get(receiver)},_CFB_instances,_CFB_iv,_CFB_shiftRegister,_CFB_shift;_CFB_iv=new WeakMap,_CFB_shiftRegister=new WeakMap,_CFB_instances=new WeakSet,_CFB_shift=__name(function(data){let segmentSize=this.
segmentSize/8;__classPrivateFieldGet3(this,_CFB_shiftRegister,"f").set(__classPrivateFieldGet3(this,_CFB_shiftRegister,"\
f").subarray(segmentSize)),__classPrivateFieldGet3(this,_CFB_shiftRegister,"f").set(data.subarray(0,segmentSize),16-segmentSize)},
"_CFB_shift");var __classPrivateFieldSet3=function(receiver,state,value,kind,f2){if(kind==="m")throw new TypeError("Private method is \
not writable");if(kind==="a"&&!f2)throw new TypeError("Private accessor was defined without a setter");if(typeof state==
"function"?receiver!==state||!f2:!state.has(receiver))throw new TypeError("Cannot write private member to an object whos\
e class did not declare it");return kind==="a"?f2.call(receiver,value):f2?f2.value=value:state.set(receiver,value),value},
__classPrivateFieldGet4=function(receiver,state,kind,f2){if(kind==="a"&&!f2)throw new TypeError("Private accessor was de\
fined without a getter");if(typeof state=="function"?receiver!==state||!f2:!state.has(receiver))throw new TypeError("Can\
not read private member from an object whose class did not declare it");return kind==="m"?f2:kind==="a"?f2.call(receiver):
f2?f2.value:state.get(receiver)},_CTR_remaining,_CTR_remainingIndex,_CTR_counter,CTR=class _CTR extends ModeOfOperation{static{
__name(this,"CTR")}constructor(key,initialValue){super("CTR",key,_CTR),_CTR_remaining.set(this,void 0),_CTR_remainingIndex.
set(this,void 0),_CTR_counter.set(this,void 0),__classPrivateFieldSet3(this,_CTR_counter,new Uint8Array(16),"f"),__classPrivateFieldGet4(
this,_CTR_counter,"f").fill(0),__classPrivateFieldSet3(this,_CTR_remaining,__classPrivateFieldGet4(this,_CTR_counter,"f"),
"f"),__classPrivateFieldSet3(this,_CTR_remainingIndex,16,"f"),initialValue==null&&(initialValue=1),typeof initialValue==
"number"?this.setCounterValue(initialValue):this.setCounterBytes(initialValue)}get counter(){return new Uint8Array(__classPrivateFieldGet4(
this,_CTR_counter,"f"))}setCounterValue(value){if(!Number.isInteger(value)||value<0||value>Number.MAX_SAFE_INTEGER)throw new TypeError(
"invalid counter initial integer value");for(let index=15;index>=0;--index)__classPrivateFieldGet4(this,_CTR_counter,"f")[index]=
value%256,value=Math.floor(value/256)}setCounterBytes(value){if(value.length!==16)throw new TypeError("invalid counter i\
nitial Uint8Array value length");__classPrivateFieldGet4(this,_CTR_counter,"f").set(value)}increment(){for(let i=15;i>=0;i--)
if(__classPrivateFieldGet4(this,_CTR_counter,"f")[i]===255)__classPrivateFieldGet4(this,_CTR_counter,"f")[i]=0;else{__classPrivateFieldGet4(
this,_CTR_counter,"f")[i]++;break}}encrypt(plaintext){var _a,_b;let crypttext=new Uint8Array(plaintext);for(let i=0;i<crypttext.
length;i++)__classPrivateFieldGet4(this,_CTR_remainingIndex,"f")===16&&(__classPrivateFieldSet3(this,_CTR_remaining,this.
aes.encrypt(__classPrivateFieldGet4(this,_CTR_counter,"f")),"f"),__classPrivateFieldSet3(this,_CTR_remainingIndex,0,"f"),
this.increment()),crypttext[i]^=__classPrivateFieldGet4(this,_CTR_remaining,"f")[__classPrivateFieldSet3(this,_CTR_remainingIndex,
(_b=__classPrivateFieldGet4(this,_CTR_remainingIndex,"f"),_a=_b++,_b),"f"),_a];return crypttext}decrypt(ciphertext){return this.
encrypt(ciphertext)}};_CTR_remaining=new WeakMap,_CTR_remainingIndex=new WeakMap,_CTR_counter=new WeakMap;var _OFB_iv,_OFB_lastPrecipher,_OFB_lastPrecipherIndex;_OFB_iv=new WeakMap,_OFB_lastPrecipher=new WeakMap,_OFB_lastPrecipherIndex=new WeakMap;function pkcs7Strip(data){if(data.length<16)throw new TypeError("PKCS#7 invalid length");let padder=data[data.length-1];
if(padder>16)throw new TypeError("PKCS#7 padding byte out of range");let length=data.length-padder;for(let i=0;i<padder;i++)
if(data[length+i]!==padder)throw new TypeError("PKCS#7 invalid padding byte");return new Uint8Array(data.subarray(0,length))}
__name(pkcs7Strip,"pkcs7Strip");function looseArrayify(hexString){return typeof hexString=="string"&&!hexString.startsWith("0x")&&(hexString="0x"+hexString),
getBytesCopy(hexString)}__name(looseArrayify,"looseArrayify");function zpad(value,length){for(value=String(value);value.
length<length;)value="0"+value;return value}__name(zpad,"zpad");function getPassword(password){return typeof password=="\
string"?toUtf8Bytes(password,"NFKC"):getBytesCopy(password)}__name(getPassword,"getPassword");function spelunk(object2,_path){
let match=_path.match(/^([a-z0-9$_.-]*)(:([a-z]+))?(!)?$/i);assertArgument(match!=null,"invalid path","path",_path);let path=match[1],
type=match[3],reqd=match[4]==="!",cur=object2;for(let comp of path.toLowerCase().split(".")){if(Array.isArray(cur)){if(!comp.
match(/^[0-9]+$/))break;cur=cur[parseInt(comp)]}else if(typeof cur=="object"){let found=null;for(let key in cur)if(key.toLowerCase()===
comp){found=cur[key];break}cur=found}else cur=null;if(cur==null)break}if(assertArgument(!reqd||cur!=null,"missing requir\
ed value","path",path),type&&cur!=null){if(type==="int"){if(typeof cur=="string"&&cur.match(/^-?[0-9]+$/))return parseInt(
cur);if(Number.isSafeInteger(cur))return cur}if(type==="number"&&typeof cur=="string"&&cur.match(/^-?[0-9.]*$/))return parseFloat(
cur);if(type==="data"&&typeof cur=="string")return looseArrayify(cur);if(type==="array"&&Array.isArray(cur)||type===typeof cur)
return cur;assertArgument(!1,`wrong type found for ${type} `,"path",path)}return cur}__name(spelunk,"spelunk");var defaultPath="m/44'/60'/0'/0/0";function isKeystoreJson(json){try{let data=JSON.parse(json);if((data.version!=null?parseInt(
data.version):0)===3)return!0}catch{}return!1}__name(isKeystoreJson,"isKeystoreJson");function decrypt(data,key,ciphertext){
if(spelunk(data,"crypto.cipher:string")==="aes-128-ctr"){let iv=spelunk(data,"crypto.cipherparams.iv:data!"),aesCtr=new CTR(
key,iv);return hexlify(aesCtr.decrypt(ciphertext))}assert(!1,"unsupported cipher","UNSUPPORTED_OPERATION",{operation:"de\
crypt"})}__name(decrypt,"decrypt");function getAccount(data,_key){let key=getBytes(_key),ciphertext=spelunk(data,"crypto\
.ciphertext:data!"),computedMAC=hexlify(keccak2562(concat([key.slice(16,32),ciphertext]))).substring(2);assertArgument(computedMAC===
spelunk(data,"crypto.mac:string!").toLowerCase(),"incorrect password","password","[ REDACTED ]");let privateKey=decrypt(
data,key.slice(0,16),ciphertext),address=computeAddress(privateKey);if(data.address){let check=data.address.toLowerCase();
check.startsWith("0x")||(check="0x"+check),assertArgument(getAddress(check)===address,"keystore address/privateKey misma\
tch","address",data.address)}let account={address,privateKey};if(spelunk(data,"x-ethers.version:string")==="0.1"){let mnemonicKey=key.
slice(32,64),mnemonicCiphertext=spelunk(data,"x-ethers.mnemonicCiphertext:data!"),mnemonicIv=spelunk(data,"x-ethers.mnem\
onicCounter:data!"),mnemonicAesCtr=new CTR(mnemonicKey,mnemonicIv);account.mnemonic={path:spelunk(data,"x-ethers.path:st\
ring")||defaultPath,locale:spelunk(data,"x-ethers.locale:string")||"en",entropy:hexlify(getBytes(mnemonicAesCtr.decrypt(
mnemonicCiphertext)))}}return account}__name(getAccount,"getAccount");function getDecryptKdfParams(data){let kdf=spelunk(
data,"crypto.kdf:string");if(kdf&&typeof kdf=="string"){if(kdf.toLowerCase()==="scrypt"){let salt=spelunk(data,"crypto.k\
dfparams.salt:data!"),N3=spelunk(data,"crypto.kdfparams.n:int!"),r=spelunk(data,"crypto.kdfparams.r:int!"),p=spelunk(data,
"crypto.kdfparams.p:int!");assertArgument(N3>0&&(N3&N3-1)===0,"invalid kdf.N","kdf.N",N3),assertArgument(r>0&&p>0,"inval\
id kdf","kdf",kdf);let dkLen=spelunk(data,"crypto.kdfparams.dklen:int!");return assertArgument(dkLen===32,"invalid kdf.d\
klen","kdf.dflen",dkLen),{name:"scrypt",salt,N:N3,r,p,dkLen:64}}else if(kdf.toLowerCase()==="pbkdf2"){let salt=spelunk(data,
"crypto.kdfparams.salt:data!"),prf=spelunk(data,"crypto.kdfparams.prf:string!"),algorithm=prf.split("-").pop();assertArgument(
algorithm==="sha256"||algorithm==="sha512","invalid kdf.pdf","kdf.pdf",prf);let count2=spelunk(data,"crypto.kdfparams.c:\
int!"),dkLen=spelunk(data,"crypto.kdfparams.dklen:int!");return assertArgument(dkLen===32,"invalid kdf.dklen","kdf.dklen",
dkLen),{name:"pbkdf2",salt,count:count2,dkLen,algorithm}}}assertArgument(!1,"unsupported key-derivation function","kdf",
kdf)}__name(getDecryptKdfParams,"getDecryptKdfParams");function decryptKeystoreJsonSync(json,_password){let data=JSON.parse(
json),password=getPassword(_password),params=getDecryptKdfParams(data);if(params.name==="pbkdf2"){let{salt:salt2,count:count2,
dkLen:dkLen2,algorithm}=params,key2=pbkdf23(password,salt2,count2,dkLen2,algorithm);return getAccount(data,key2)}assert(
params.name==="scrypt","cannot be reached","UNKNOWN_ERROR",{params});let{salt,N:N3,r,p,dkLen}=params,key=scryptSync(password,
salt,N3,r,p,dkLen);return getAccount(data,key)}__name(decryptKeystoreJsonSync,"decryptKeystoreJsonSync");function stall4(duration){
return new Promise(resolve=>{setTimeout(()=>{resolve()},duration)})}__name(stall4,"stall");async function decryptKeystoreJson(json,_password,progress){
let data=JSON.parse(json),password=getPassword(_password),params=getDecryptKdfParams(data);if(params.name==="pbkdf2"){progress&&
(progress(0),await stall4(0));let{salt:salt2,count:count2,dkLen:dkLen2,algorithm}=params,key2=pbkdf23(password,salt2,count2,
dkLen2,algorithm);return progress&&(progress(1),await stall4(0)),getAccount(data,key2)}assert(params.name==="scrypt","ca\
nnot be reached","UNKNOWN_ERROR",{params});let{salt,N:N3,r,p,dkLen}=params,key=await scrypt2(password,salt,N3,r,p,dkLen,
progress);return getAccount(data,key)}__name(decryptKeystoreJson,"decryptKeystoreJson");function getEncryptKdfParams(options){
let salt=options.salt!=null?getBytes(options.salt,"options.salt"):randomBytes2(32),N3=1<<17,r=8,p=1;return options.scrypt&&
(options.scrypt.N&&(N3=options.scrypt.N),options.scrypt.r&&(r=options.scrypt.r),options.scrypt.p&&(p=options.scrypt.p)),
assertArgument(typeof N3=="number"&&N3>0&&Number.isSafeInteger(N3)&&(BigInt(N3)&BigInt(N3-1))===BigInt(0),"invalid scryp\
t N parameter","options.N",N3),assertArgument(typeof r=="number"&&r>0&&Number.isSafeInteger(r),"invalid scrypt r paramet\
er","options.r",r),assertArgument(typeof p=="number"&&p>0&&Number.isSafeInteger(p),"invalid scrypt p parameter","options\
.p",p),{name:"scrypt",dkLen:32,salt,N:N3,r,p}}__name(getEncryptKdfParams,"getEncryptKdfParams");function _encryptKeystore(key,kdf,account,options){
let privateKey=getBytes(account.privateKey,"privateKey"),iv=options.iv!=null?getBytes(options.iv,"options.iv"):randomBytes2(
16);assertArgument(iv.length===16,"invalid options.iv length","options.iv",options.iv);let uuidRandom=options.uuid!=null?
getBytes(options.uuid,"options.uuid"):randomBytes2(16);assertArgument(uuidRandom.length===16,"invalid options.uuid lengt\
h","options.uuid",options.iv);let derivedKey=key.slice(0,16),macPrefix=key.slice(16,32),aesCtr=new CTR(derivedKey,iv),ciphertext=getBytes(
aesCtr.encrypt(privateKey)),mac=keccak2562(concat([macPrefix,ciphertext])),data={address:account.address.substring(2).toLowerCase(),
id:uuidV4(uuidRandom),version:3,Crypto:{cipher:"aes-128-ctr",cipherparams:{iv:hexlify(iv).substring(2)},ciphertext:hexlify(
ciphertext).substring(2),kdf:"scrypt",kdfparams:{salt:hexlify(kdf.salt).substring(2),n:kdf.N,dklen:32,p:kdf.p,r:kdf.r},mac:mac.
substring(2)}};if(account.mnemonic){let client=options.client!=null?options.client:`ethers/${version}`,path=account.mnemonic.
path||defaultPath,locale=account.mnemonic.locale||"en",mnemonicKey=key.slice(32,64),entropy=getBytes(account.mnemonic.entropy,
"account.mnemonic.entropy"),mnemonicIv=randomBytes2(16),mnemonicAesCtr=new CTR(mnemonicKey,mnemonicIv),mnemonicCiphertext=getBytes(
mnemonicAesCtr.encrypt(entropy)),now=new Date,gethFilename="UTC--"+(now.getUTCFullYear()+"-"+zpad(now.getUTCMonth()+1,2)+
"-"+zpad(now.getUTCDate(),2)+"T"+zpad(now.getUTCHours(),2)+"-"+zpad(now.getUTCMinutes(),2)+"-"+zpad(now.getUTCSeconds(),
2)+".0Z")+"--"+data.address;data["x-ethers"]={client,gethFilename,path,locale,mnemonicCounter:hexlify(mnemonicIv).substring(
2),mnemonicCiphertext:hexlify(mnemonicCiphertext).substring(2),version:"0.1"}}return JSON.stringify(data)}__name(_encryptKeystore,
"_encryptKeystore");function encryptKeystoreJsonSync(account,password,options){options==null&&(options={});let passwordBytes=getPassword(
password),kdf=getEncryptKdfParams(options),key=scryptSync(passwordBytes,kdf.salt,kdf.N,kdf.r,kdf.p,64);return _encryptKeystore(
getBytes(key),kdf,account,options)}__name(encryptKeystoreJsonSync,"encryptKeystoreJsonSync");async function encryptKeystoreJson(account,password,options){
options==null&&(options={});let passwordBytes=getPassword(password),kdf=getEncryptKdfParams(options),key=await scrypt2(passwordBytes,
kdf.salt,kdf.N,kdf.r,kdf.p,64,options.progressCallback);return _encryptKeystore(getBytes(key),kdf,account,options)}__name(
encryptKeystoreJson,"encryptKeystoreJson");var defaultPath2="m/44'/60'/0'/0/0",MasterSecret=new Uint8Array([66,105,116,99,111,105,110,32,115,101,101,100]),HardenedBit=2147483648,
N2=BigInt("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),Nibbles2="0123456789abcdef";function zpad2(value,length){
let result="";for(;value;)result=Nibbles2[value%16]+result,value=Math.trunc(value/16);for(;result.length<length*2;)result=
"0"+result;return"0x"+result}__name(zpad2,"zpad");function encodeBase58Check(_value){let value=getBytes(_value),check=dataSlice(
sha2563(sha2563(value)),0,4),bytes2=concat([value,check]);return encodeBase58(bytes2)}__name(encodeBase58Check,"encodeBa\
se58Check");var _guard6={};function ser_I(index,chainCode,publicKey2,privateKey){let data=new Uint8Array(37);index&HardenedBit?
(assert(privateKey!=null,"cannot derive child of neutered node","UNSUPPORTED_OPERATION",{operation:"deriveChild"}),data.
set(getBytes(privateKey),1)):data.set(getBytes(publicKey2));for(let i=24;i>=0;i-=8)data[33+(i>>3)]=index>>24-i&255;let I=getBytes(
computeHmac("sha512",chainCode,data));return{IL:I.slice(0,32),IR:I.slice(32)}}__name(ser_I,"ser_I");function derivePath(node,path){
let components=path.split("/");assertArgument(components.length>0,"invalid path","path",path),components[0]==="m"&&(assertArgument(
node.depth===0,`cannot derive root path (i.e. path starting with "m/") for a node at non-zero depth ${node.depth}`,"path",
path),components.shift());let result=node;for(let i=0;i<components.length;i++){let component=components[i];if(component.
match(/^[0-9]+'$/)){let index=parseInt(component.substring(0,component.length-1));assertArgument(index<HardenedBit,"inva\
lid path index",`path[${i}]`,component),result=result.deriveChild(HardenedBit+index)}else if(component.match(/^[0-9]+$/)){
let index=parseInt(component);assertArgument(index<HardenedBit,"invalid path index",`path[${i}]`,component),result=result.
deriveChild(index)}else assertArgument(!1,"invalid path component",`path[${i}]`,component)}return result}__name(derivePath,
"derivePath");var HDNodeWallet=class _HDNodeWallet extends BaseWallet{static{__name(this,"HDNodeWallet")}publicKey;fingerprint;parentFingerprint;mnemonic;chainCode;path;index;depth;constructor(guard,signingKey,parentFingerprint,chainCode,path,index,depth,mnemonic,provider){
super(signingKey,provider),assertPrivate(guard,_guard6,"HDNodeWallet"),defineProperties(this,{publicKey:signingKey.compressedPublicKey});
let fingerprint=dataSlice(ripemd1602(sha2563(this.publicKey)),0,4);defineProperties(this,{parentFingerprint,fingerprint,
chainCode,path,index,depth}),defineProperties(this,{mnemonic})}connect(provider){return new _HDNodeWallet(_guard6,this.signingKey,
this.parentFingerprint,this.chainCode,this.path,this.index,this.depth,this.mnemonic,provider)}#account(){let account={address:this.
address,privateKey:this.privateKey},m=this.mnemonic;return this.path&&m&&m.wordlist.locale==="en"&&m.password===""&&(account.
mnemonic={path:this.path,locale:"en",entropy:m.entropy}),account}async encrypt(password,progressCallback){return await encryptKeystoreJson(
this.#account(),password,{progressCallback})}encryptSync(password){return encryptKeystoreJsonSync(this.#account(),password)}get extendedKey(){
return assert(this.depth<256,"Depth too deep","UNSUPPORTED_OPERATION",{operation:"extendedKey"}),encodeBase58Check(concat(
["0x0488ADE4",zpad2(this.depth,1),this.parentFingerprint,zpad2(this.index,4),this.chainCode,concat(["0x00",this.privateKey])]))}hasPath(){
return this.path!=null}neuter(){return new HDNodeVoidWallet(_guard6,this.address,this.publicKey,this.parentFingerprint,this.
chainCode,this.path,this.index,this.depth,this.provider)}deriveChild(_index){let index=getNumber(_index,"index");assertArgument(
index<=4294967295,"invalid index","index",index);let path=this.path;path&&(path+="/"+(index&~HardenedBit),index&HardenedBit&&
(path+="'"));let{IR,IL}=ser_I(index,this.chainCode,this.publicKey,this.privateKey),ki=new SigningKey(toBeHex((toBigInt(IL)+
BigInt(this.privateKey))%N2,32));return new _HDNodeWallet(_guard6,ki,this.fingerprint,hexlify(IR),path,index,this.depth+
1,this.mnemonic,this.provider)}derivePath(path){return derivePath(this,path)}static#fromSeed(_seed,mnemonic){assertArgument(
isBytesLike(_seed),"invalid seed","seed","[REDACTED]");let seed=getBytes(_seed,"seed");assertArgument(seed.length>=16&&seed.
length<=64,"invalid seed","seed","[REDACTED]");let I=getBytes(computeHmac("sha512",MasterSecret,seed)),signingKey=new SigningKey(
hexlify(I.slice(0,32)));return new _HDNodeWallet(_guard6,signingKey,"0x00000000",hexlify(I.slice(32)),"m",0,0,mnemonic,null)}static fromExtendedKey(extendedKey){
let bytes2=toBeArray(decodeBase58(extendedKey));assertArgument(bytes2.length===82||encodeBase58Check(bytes2.slice(0,78))===
extendedKey,"invalid extended key","extendedKey","[ REDACTED ]");let depth=bytes2[4],parentFingerprint=hexlify(bytes2.slice(
5,9)),index=parseInt(hexlify(bytes2.slice(9,13)).substring(2),16),chainCode=hexlify(bytes2.slice(13,45)),key=bytes2.slice(
45,78);switch(hexlify(bytes2.slice(0,4))){case"0x0488b21e":case"0x043587cf":{let publicKey2=hexlify(key);return new HDNodeVoidWallet(
_guard6,computeAddress(publicKey2),publicKey2,parentFingerprint,chainCode,null,index,depth,null)}case"0x0488ade4":case"0\
x04358394 ":if(key[0]!==0)break;return new _HDNodeWallet(_guard6,new SigningKey(key.slice(1)),parentFingerprint,chainCode,
null,index,depth,null,null)}assertArgument(!1,"invalid extended key prefix","extendedKey","[ REDACTED ]")}static createRandom(password,path,wordlist2){
password==null&&(password=""),path==null&&(path=defaultPath2),wordlist2==null&&(wordlist2=LangEn.wordlist());let mnemonic=Mnemonic.
fromEntropy(randomBytes2(16),password,wordlist2);return _HDNodeWallet.#fromSeed(mnemonic.computeSeed(),mnemonic).derivePath(
path)}static fromMnemonic(mnemonic,path){return path||(path=defaultPath2),_HDNodeWallet.#fromSeed(mnemonic.computeSeed(),
mnemonic).derivePath(path)}static fromPhrase(phrase,password,path,wordlist2){password==null&&(password=""),path==null&&(path=
defaultPath2),wordlist2==null&&(wordlist2=LangEn.wordlist());let mnemonic=Mnemonic.fromPhrase(phrase,password,wordlist2);
return _HDNodeWallet.#fromSeed(mnemonic.computeSeed(),mnemonic).derivePath(path)}static fromSeed(seed){return _HDNodeWallet.#fromSeed(
seed,null)}},HDNodeVoidWallet=class _HDNodeVoidWallet extends VoidSigner{static{__name(this,"HDNodeVoidWallet")}publicKey;fingerprint;parentFingerprint;chainCode;path;index;depth;constructor(guard,address,publicKey2,parentFingerprint,chainCode,path,index,depth,provider){
super(address,provider),assertPrivate(guard,_guard6,"HDNodeVoidWallet"),defineProperties(this,{publicKey:publicKey2});let fingerprint=dataSlice(
ripemd1602(sha2563(publicKey2)),0,4);defineProperties(this,{publicKey:publicKey2,fingerprint,parentFingerprint,chainCode,
path,index,depth})}connect(provider){return new _HDNodeVoidWallet(_guard6,this.address,this.publicKey,this.parentFingerprint,
this.chainCode,this.path,this.index,this.depth,provider)}get extendedKey(){return assert(this.depth<256,"Depth too deep",
"UNSUPPORTED_OPERATION",{operation:"extendedKey"}),encodeBase58Check(concat(["0x0488B21E",zpad2(this.depth,1),this.parentFingerprint,
zpad2(this.index,4),this.chainCode,this.publicKey]))}hasPath(){return this.path!=null}deriveChild(_index){let index=getNumber(
_index,"index");assertArgument(index<=4294967295,"invalid index","index",index);let path=this.path;path&&(path+="/"+(index&
~HardenedBit),index&HardenedBit&&(path+="'"));let{IR,IL}=ser_I(index,this.chainCode,this.publicKey,null),Ki=SigningKey.addPoints(
IL,this.publicKey,!0),address=computeAddress(Ki);return new _HDNodeVoidWallet(_guard6,address,Ki,this.fingerprint,hexlify(
IR),path,index,this.depth+1,this.provider)}derivePath(path){return derivePath(this,path)}};function getAccountPath(_index){
let index=getNumber(_index,"index");return assertArgument(index>=0&&index<HardenedBit,"invalid account index","index",index),
`m/44'/60'/${index}'/0/0`}__name(getAccountPath,"getAccountPath");function getIndexedAccountPath(_index){let index=getNumber(
_index,"index");return assertArgument(index>=0&&index<HardenedBit,"invalid account index","index",index),`m/44'/60'/0'/0\
/${index}`}__name(getIndexedAccountPath,"getIndexedAccountPath");function isCrowdsaleJson(json){try{if(JSON.parse(json).encseed)return!0}catch{}return!1}__name(isCrowdsaleJson,"isCrowds\
aleJson");function decryptCrowdsaleJson(json,_password){let data=JSON.parse(json),password=getPassword(_password),address=getAddress(
spelunk(data,"ethaddr:string!")),encseed=looseArrayify(spelunk(data,"encseed:string!"));assertArgument(encseed&&encseed.
length%16===0,"invalid encseed","json",json);let key=getBytes(pbkdf23(password,password,2e3,32,"sha256")).slice(0,16),iv=encseed.
slice(0,16),encryptedSeed=encseed.slice(16),aesCbc=new CBC(key,iv),seed=pkcs7Strip(getBytes(aesCbc.decrypt(encryptedSeed))),
seedHex="";for(let i=0;i<seed.length;i++)seedHex+=String.fromCharCode(seed[i]);return{address,privateKey:id(seedHex)}}__name(
decryptCrowdsaleJson,"decryptCrowdsaleJson");function stall5(duration){return new Promise(resolve=>{setTimeout(()=>{resolve()},duration)})}__name(stall5,"stall");var Wallet=class _Wallet extends BaseWallet{static{
__name(this,"Wallet")}constructor(key,provider){typeof key=="string"&&!key.startsWith("0x")&&(key="0x"+key);let signingKey=typeof key==
"string"?new SigningKey(key):key;super(signingKey,provider)}connect(provider){return new _Wallet(this.signingKey,provider)}async encrypt(password,progressCallback){
let account={address:this.address,privateKey:this.privateKey};return await encryptKeystoreJson(account,password,{progressCallback})}encryptSync(password){
let account={address:this.address,privateKey:this.privateKey};return encryptKeystoreJsonSync(account,password)}static#fromAccount(account){
if(assertArgument(account,"invalid JSON wallet","json","[ REDACTED ]"),"mnemonic"in account&&account.mnemonic&&account.mnemonic.
locale==="en"){let mnemonic=Mnemonic.fromEntropy(account.mnemonic.entropy),wallet2=HDNodeWallet.fromMnemonic(mnemonic,account.
mnemonic.path);if(wallet2.address===account.address&&wallet2.privateKey===account.privateKey)return wallet2;console.log(
"WARNING: JSON mismatch address/privateKey != mnemonic; fallback onto private key")}let wallet=new _Wallet(account.privateKey);
return assertArgument(wallet.address===account.address,"address/privateKey mismatch","json","[ REDACTED ]"),wallet}static async fromEncryptedJson(json,password,progress){
let account=null;return isKeystoreJson(json)?account=await decryptKeystoreJson(json,password,progress):isCrowdsaleJson(json)&&
(progress&&(progress(0),await stall5(0)),account=decryptCrowdsaleJson(json,password),progress&&(progress(1),await stall5(
0))),_Wallet.#fromAccount(account)}static fromEncryptedJsonSync(json,password){let account=null;return isKeystoreJson(json)?
account=decryptKeystoreJsonSync(json,password):isCrowdsaleJson(json)?account=decryptCrowdsaleJson(json,password):assertArgument(
!1,"invalid JSON wallet","json","[ REDACTED ]"),_Wallet.#fromAccount(account)}static createRandom(provider){let wallet=HDNodeWallet.
createRandom();return provider?wallet.connect(provider):wallet}static fromPhrase(phrase,provider){let wallet=HDNodeWallet.
fromPhrase(phrase);return provider?wallet.connect(provider):wallet}};var Base64=")!@#$%^&*(ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";function decodeBits(width,data){let maxValue2=(1<<
width)-1,result=[],accum=0,bits=0,flood=0;for(let i=0;i<data.length;i++)for(accum=accum<<6|Base64.indexOf(data[i]),bits+=
6;bits>=width;){let value=accum>>bits-width;accum&=(1<<bits-width)-1,bits-=width,value===0?flood+=maxValue2:(result.push(
value+flood),flood=0)}return result}__name(decodeBits,"decodeBits");function decodeOwlA(data,accents){let words2=decodeOwl(data).join(",");return accents.split(/,/g).forEach(accent=>{let match=accent.
match(/^([a-z]*)([0-9]+)([0-9])(.*)$/);assertArgument(match!==null,"internal error parsing accents","accents",accents);let posOffset=0,
positions=decodeBits(parseInt(match[3]),match[4]),charCode=parseInt(match[2]),regex=new RegExp(`([${match[1]}])`,"g");words2=
words2.replace(regex,(all,letter)=>(--positions[posOffset]===0&&(letter=String.fromCharCode(letter.charCodeAt(0),charCode),
posOffset++),letter))}),words2.split(",")}__name(decodeOwlA,"decodeOwlA");var WordlistOwlA=class extends WordlistOwl{static{__name(this,"WordlistOwlA")}#accent;constructor(locale,data,accent,checksum2){
super(locale,data,checksum2),this.#accent=accent}get _accent(){return this.#accent}_decodeWords(){return decodeOwlA(this.
_data,this._accent)}};var wordlists={en:LangEn.wordlist()};return __toCommonJS(stdin_exports);})();
return library;
})
