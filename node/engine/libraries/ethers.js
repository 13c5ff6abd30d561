/* Made by build.mjs, not by hand. Contains:

@ethersproject/abi 5.7.0, @ethersproject/abstract-provider 5.7.0, @ethersproject/abstract-signer 5.7.0, @ethersproject/address 5.7.0, @ethersproject/base64 5.7.0, @ethersproject/bignumber 5.7.0, @ethersproject/bytes 5.7.0, @ethersproject/constants 5.7.0, @ethersproject/contracts 5.7.0, @ethersproject/hash 5.7.0, @ethersproject/hdnode 5.7.0, @ethersproject/json-wallets 5.7.0, @ethersproject/keccak256 5.7.0, @ethersproject/networks 5.7.1, @ethersproject/properties 5.7.0, @ethersproject/providers 5.7.2, @ethersproject/random 5.7.0, @ethersproject/rlp 5.7.0, @ethersproject/sha2 5.7.0, @ethersproject/solidity 5.7.0, @ethersproject/strings 5.7.0, @ethersproject/transactions 5.7.0, @ethersproject/units 5.7.0, @ethersproject/wallet 5.7.0, @ethersproject/web 5.7.1, @ethersproject/wordlists 5.7.0, ethers 5.7.2:

MIT License

Copyright (c) 2019 Richard Moore

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

@ethersproject/basex 5.7.0:

Forked from https://github.com/cryptocoinjs/bs58
Originally written by Mike Hearn for BitcoinJ
Copyright (c) 2011 Google Inc

Ported to JavaScript by Stefan Thomas
Merged Buffer refactorings from base58-native by Stephen Pair
Copyright (c) 2013 BitPay Inc

Removed Buffer Dependency
Copyright (c) 2019 Richard Moore


MIT License

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

@ethersproject/logger 5.7.0:

Licence: MIT

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

aes-js 3.0.0:

The MIT License (MIT)

Copyright (c) 2015 Richard Moore

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

bech32 1.1.4:

MIT License

Copyright (c) 2017 Pieter Wuille
Copyright (c) 2018 bitcoinjs contributors

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

bn.js 5.2.5:

Copyright Fedor Indutny, 2015.

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

scrypt-js 3.0.1:

The MIT License (MIT)

Copyright (c) 2016 Richard Moore

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
var library=(()=>{var __create=Object.create;var __defProp=Object.defineProperty;var __getOwnPropDesc=Object.getOwnPropertyDescriptor;var __getOwnPropNames=Object.getOwnPropertyNames;var __getProtoOf=Object.getPrototypeOf,__hasOwnProp=Object.prototype.hasOwnProperty;var __name=(target,value)=>__defProp(target,"name",{value,configurable:!0});var __esm=(fn,res,err)=>function(){if(err)throw err[0];try{return fn&&(res=(0,fn[__getOwnPropNames(fn)[0]])(fn=0)),res}catch(e){
throw err=[e],e}};var __commonJS=(cb,mod)=>function(){try{return mod||(0,cb[__getOwnPropNames(cb)[0]])((mod={exports:{}}).exports,mod),mod.
exports}catch(e){throw mod=0,e}};var __export=(target,all)=>{for(var name in all)__defProp(target,name,{get:all[name],enumerable:!0})},__copyProps=(to,from,except,desc)=>{
if(from&&typeof from=="object"||typeof from=="function")for(let key of __getOwnPropNames(from))!__hasOwnProp.call(to,key)&&
key!==except&&__defProp(to,key,{get:()=>from[key],enumerable:!(desc=__getOwnPropDesc(from,key))||desc.enumerable});return to};var __toESM=(mod,isNodeMode,target)=>(target=mod!=null?__create(__getProtoOf(mod)):{},__copyProps(isNodeMode||!mod||!mod.
__esModule?__defProp(target,"default",{value:mod,enumerable:!0}):target,mod)),__toCommonJS=mod=>__copyProps(__defProp({},
"__esModule",{value:!0}),mod);var require_buffer=__commonJS({"(disabled):../../../node_modules/buffer/index.js"(){}});var require_bn=__commonJS({"../../../node_modules/bn.js/lib/bn.js"(exports,module){(function(module2,exports2){"use stri\
ct";function assert(val,msg){if(!val)throw new Error(msg||"Assertion failed")}__name(assert,"assert");function inherits(ctor,superCtor){
ctor.super_=superCtor;var TempCtor=__name(function(){},"TempCtor");TempCtor.prototype=superCtor.prototype,ctor.prototype=
new TempCtor,ctor.prototype.constructor=ctor}__name(inherits,"inherits");function BN2(number,base,endian){if(BN2.isBN(number))
return number;this.negative=0,this.words=null,this.length=0,this.red=null,number!==null&&((base==="le"||base==="be")&&(endian=
base,base=10),this._init(number||0,base||10,endian||"be"))}__name(BN2,"BN"),typeof module2=="object"?module2.exports=BN2:
exports2.BN=BN2,BN2.BN=BN2,BN2.wordSize=26;var Buffer2;try{typeof window<"u"&&typeof window.Buffer<"u"?Buffer2=window.Buffer:
Buffer2=require_buffer().Buffer}catch{}BN2.isBN=__name(function(num){return num instanceof BN2?!0:num!==null&&typeof num==
"object"&&num.constructor.wordSize===BN2.wordSize&&Array.isArray(num.words)},"isBN"),BN2.max=__name(function(left,right){
return left.cmp(right)>0?left:right},"max"),BN2.min=__name(function(left,right){return left.cmp(right)<0?left:right},"mi\
n"),BN2.prototype._init=__name(function(number,base,endian){if(typeof number=="number")return this._initNumber(number,base,
endian);if(typeof number=="object")return this._initArray(number,base,endian);base==="hex"&&(base=16),assert(base===(base|
0)&&base>=2&&base<=36),number=number.toString().replace(/\s+/g,"");var start=0;number[0]==="-"&&(start++,this.negative=1),
start<number.length&&(base===16?this._parseHex(number,start,endian):(this._parseBase(number,base,start),endian==="le"&&this.
_initArray(this.toArray(),base,endian)))},"init"),BN2.prototype._initNumber=__name(function(number,base,endian){number<0&&
(this.negative=1,number=-number),number<67108864?(this.words=[number&67108863],this.length=1):number<4503599627370496?(this.
words=[number&67108863,number/67108864&67108863],this.length=2):(assert(number<9007199254740992),this.words=[number&67108863,
number/67108864&67108863,1],this.length=3),endian==="le"&&this._initArray(this.toArray(),base,endian)},"_initNumber"),BN2.
prototype._initArray=__name(function(number,base,endian){if(assert(typeof number.length=="number"),number.length<=0)return this.
words=[0],this.length=1,this;this.length=Math.ceil(number.length/3),this.words=new Array(this.length);for(var i=0;i<this.
length;i++)this.words[i]=0;var j,w,off=0;if(endian==="be")for(i=number.length-1,j=0;i>=0;i-=3)w=number[i]|number[i-1]<<8|
number[i-2]<<16,this.words[j]|=w<<off&67108863,this.words[j+1]=w>>>26-off&67108863,off+=24,off>=26&&(off-=26,j++);else if(endian===
"le")for(i=0,j=0;i<number.length;i+=3)w=number[i]|number[i+1]<<8|number[i+2]<<16,this.words[j]|=w<<off&67108863,this.words[j+
1]=w>>>26-off&67108863,off+=24,off>=26&&(off-=26,j++);return this._strip()},"_initArray");function parseHex4Bits(string,index){
var c=string.charCodeAt(index);if(c>=48&&c<=57)return c-48;if(c>=65&&c<=70)return c-55;if(c>=97&&c<=102)return c-87;assert(
!1,"Invalid character in "+string)}__name(parseHex4Bits,"parseHex4Bits");function parseHexByte(string,lowerBound,index){
var r2=parseHex4Bits(string,index);return index-1>=lowerBound&&(r2|=parseHex4Bits(string,index-1)<<4),r2}__name(parseHexByte,
"parseHexByte"),BN2.prototype._parseHex=__name(function(number,start,endian){this.length=Math.ceil((number.length-start)/
6),this.words=new Array(this.length);for(var i=0;i<this.length;i++)this.words[i]=0;var off=0,j=0,w;if(endian==="be")for(i=
number.length-1;i>=start;i-=2)w=parseHexByte(number,start,i)<<off,this.words[j]|=w&67108863,off>=18?(off-=18,j+=1,this.words[j]|=
w>>>26):off+=8;else{var parseLength=number.length-start;for(i=parseLength%2===0?start+1:start;i<number.length;i+=2)w=parseHexByte(
number,start,i)<<off,this.words[j]|=w&67108863,off>=18?(off-=18,j+=1,this.words[j]|=w>>>26):off+=8}this._strip()},"_pars\
eHex");function parseBase(str,start,end,mul){for(var r2=0,b=0,len=Math.min(str.length,end),i=start;i<len;i++){var c=str.
charCodeAt(i)-48;r2*=mul,c>=49?b=c-49+10:c>=17?b=c-17+10:b=c,assert(c>=0&&b<mul,"Invalid character"),r2+=b}return r2}__name(
parseBase,"parseBase"),BN2.prototype._parseBase=__name(function(number,base,start){this.words=[0],this.length=1;for(var limbLen=0,
limbPow=1;limbPow<=67108863;limbPow*=base)limbLen++;limbLen--,limbPow=limbPow/base|0;for(var total=number.length-start,mod=total%
limbLen,end=Math.min(total,total-mod)+start,word=0,i=start;i<end;i+=limbLen)word=parseBase(number,i,i+limbLen,base),this.
imuln(limbPow),this.words[0]+word<67108864?this.words[0]+=word:this._iaddn(word);if(mod!==0){var pow=1;for(word=parseBase(
number,i,number.length,base),i=0;i<mod;i++)pow*=base;this.imuln(pow),this.words[0]+word<67108864?this.words[0]+=word:this.
_iaddn(word)}this._strip()},"_parseBase"),BN2.prototype.copy=__name(function(dest){dest.words=new Array(this.length);for(var i=0;i<
this.length;i++)dest.words[i]=this.words[i];dest.length=this.length,dest.negative=this.negative,dest.red=this.red},"copy");
function move(dest,src){dest.words=src.words,dest.length=src.length,dest.negative=src.negative,dest.red=src.red}if(__name(
move,"move"),BN2.prototype._move=__name(function(dest){move(dest,this)},"_move"),BN2.prototype.clone=__name(function(){var r2=new BN2(
null);return this.copy(r2),r2},"clone"),BN2.prototype._expand=__name(function(size){for(;this.length<size;)this.words[this.
length++]=0;return this},"_expand"),BN2.prototype._strip=__name(function(){for(;this.length>1&&this.words[this.length-1]===
0;)this.length--;return this._normSign()},"strip"),BN2.prototype._normSign=__name(function(){return this.length===1&&this.
words[0]===0&&(this.negative=0),this},"_normSign"),typeof Symbol<"u"&&typeof Symbol.for=="function")try{BN2.prototype[Symbol.
for("nodejs.util.inspect.custom")]=inspect}catch{BN2.prototype.inspect=inspect}else BN2.prototype.inspect=inspect;function inspect(){
return(this.red?"<BN-R: ":"<BN: ")+this.toString(16)+">"}__name(inspect,"inspect");var zeros2=["","0","00","000","0000",
"00000","000000","0000000","00000000","000000000","0000000000","00000000000","000000000000","0000000000000","00000000000\
000","000000000000000","0000000000000000","00000000000000000","000000000000000000","0000000000000000000","00000000000000\
000000","000000000000000000000","0000000000000000000000","00000000000000000000000","000000000000000000000000","000000000\
0000000000000000"],groupSizes=[0,0,25,16,12,11,10,9,8,8,7,7,7,7,6,6,6,6,6,6,6,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5],groupBases=[
0,0,33554432,43046721,16777216,48828125,60466176,40353607,16777216,43046721,1e7,19487171,35831808,62748517,7529536,11390625,
16777216,24137569,34012224,47045881,64e6,4084101,5153632,6436343,7962624,9765625,11881376,14348907,17210368,20511149,243e5,
28629151,33554432,39135393,45435424,52521875,60466176];BN2.prototype.toString=__name(function(base,padding2){base=base||
10,padding2=padding2|0||1;var out;if(base===16||base==="hex"){out="";for(var off=0,carry=0,i=0;i<this.length;i++){var w=this.
words[i],word=((w<<off|carry)&16777215).toString(16);carry=w>>>24-off&16777215,off+=2,off>=26&&(off-=26,i--),carry!==0||
i!==this.length-1?out=zeros2[6-word.length]+word+out:out=word+out}for(carry!==0&&(out=carry.toString(16)+out);out.length%
padding2!==0;)out="0"+out;return this.negative!==0&&(out="-"+out),out}if(base===(base|0)&&base>=2&&base<=36){var groupSize=groupSizes[base],
groupBase=groupBases[base];out="";var c=this.clone();for(c.negative=0;!c.isZero();){var r2=c.modrn(groupBase).toString(base);
c=c.idivn(groupBase),c.isZero()?out=r2+out:out=zeros2[groupSize-r2.length]+r2+out}for(this.isZero()&&(out="0"+out);out.length%
padding2!==0;)out="0"+out;return this.negative!==0&&(out="-"+out),out}assert(!1,"Base should be between 2 and 36")},"toS\
tring"),BN2.prototype.toNumber=__name(function(){var ret=this.words[0];return this.length===2?ret+=this.words[1]*67108864:
this.length===3&&this.words[2]===1?ret+=4503599627370496+this.words[1]*67108864:this.length>2&&assert(!1,"Number can onl\
y safely store up to 53 bits"),this.negative!==0?-ret:ret},"toNumber"),BN2.prototype.toJSON=__name(function(){return this.
toString(16,2)},"toJSON"),Buffer2&&(BN2.prototype.toBuffer=__name(function(endian,length){return this.toArrayLike(Buffer2,
endian,length)},"toBuffer")),BN2.prototype.toArray=__name(function(endian,length){return this.toArrayLike(Array,endian,length)},
"toArray");var allocate=__name(function(ArrayType,size){return ArrayType.allocUnsafe?ArrayType.allocUnsafe(size):new ArrayType(
size)},"allocate");BN2.prototype.toArrayLike=__name(function(ArrayType,endian,length){this._strip();var byteLength=this.
byteLength(),reqLength=length||Math.max(1,byteLength);assert(byteLength<=reqLength,"byte array longer than desired lengt\
h"),assert(reqLength>0,"Requested array length <= 0");var res=allocate(ArrayType,reqLength),postfix=endian==="le"?"LE":"\
BE";return this["_toArrayLike"+postfix](res,byteLength),res},"toArrayLike"),BN2.prototype._toArrayLikeLE=__name(function(res,byteLength){
for(var position=0,carry=0,i=0,shift=0;i<this.length;i++){var word=this.words[i]<<shift|carry;res[position++]=word&255,position<
res.length&&(res[position++]=word>>8&255),position<res.length&&(res[position++]=word>>16&255),shift===6?(position<res.length&&
(res[position++]=word>>24&255),carry=0,shift=0):(carry=word>>>24,shift+=2)}if(position<res.length)for(res[position++]=carry;position<
res.length;)res[position++]=0},"_toArrayLikeLE"),BN2.prototype._toArrayLikeBE=__name(function(res,byteLength){for(var position=res.
length-1,carry=0,i=0,shift=0;i<this.length;i++){var word=this.words[i]<<shift|carry;res[position--]=word&255,position>=0&&
(res[position--]=word>>8&255),position>=0&&(res[position--]=word>>16&255),shift===6?(position>=0&&(res[position--]=word>>
24&255),carry=0,shift=0):(carry=word>>>24,shift+=2)}if(position>=0)for(res[position--]=carry;position>=0;)res[position--]=
0},"_toArrayLikeBE"),Math.clz32?BN2.prototype._countBits=__name(function(w){return 32-Math.clz32(w)},"_countBits"):BN2.prototype.
_countBits=__name(function(w){var t=w,r2=0;return t>=4096&&(r2+=13,t>>>=13),t>=64&&(r2+=7,t>>>=7),t>=8&&(r2+=4,t>>>=4),t>=
2&&(r2+=2,t>>>=2),r2+t},"_countBits"),BN2.prototype._zeroBits=__name(function(w){if(w===0)return 26;var t=w,r2=0;return(t&
8191)===0&&(r2+=13,t>>>=13),(t&127)===0&&(r2+=7,t>>>=7),(t&15)===0&&(r2+=4,t>>>=4),(t&3)===0&&(r2+=2,t>>>=2),(t&1)===0&&
r2++,r2},"_zeroBits"),BN2.prototype.bitLength=__name(function(){var w=this.words[this.length-1],hi=this._countBits(w);return(this.
length-1)*26+hi},"bitLength");function toBitArray(num){for(var w=new Array(num.bitLength()),bit=0;bit<w.length;bit++){var off=bit/
26|0,wbit=bit%26;w[bit]=num.words[off]>>>wbit&1}return w}__name(toBitArray,"toBitArray"),BN2.prototype.zeroBits=__name(function(){
if(this.isZero())return 0;for(var r2=0,i=0;i<this.length;i++){var b=this._zeroBits(this.words[i]);if(r2+=b,b!==26)break}
return r2},"zeroBits"),BN2.prototype.byteLength=__name(function(){return Math.ceil(this.bitLength()/8)},"byteLength"),BN2.
prototype.toTwos=__name(function(width){return this.negative!==0?this.abs().inotn(width).iaddn(1):this.clone()},"toTwos"),
BN2.prototype.fromTwos=__name(function(width){return this.testn(width-1)?this.notn(width).iaddn(1).ineg():this.clone()},
"fromTwos"),BN2.prototype.isNeg=__name(function(){return this.negative!==0},"isNeg"),BN2.prototype.neg=__name(function(){
return this.clone().ineg()},"neg"),BN2.prototype.ineg=__name(function(){return this.isZero()||(this.negative^=1),this},"\
ineg"),BN2.prototype.iuor=__name(function(num){for(;this.length<num.length;)this.words[this.length++]=0;for(var i=0;i<num.
length;i++)this.words[i]=this.words[i]|num.words[i];return this._strip()},"iuor"),BN2.prototype.ior=__name(function(num){
return assert((this.negative|num.negative)===0),this.iuor(num)},"ior"),BN2.prototype.or=__name(function(num){return this.
length>num.length?this.clone().ior(num):num.clone().ior(this)},"or"),BN2.prototype.uor=__name(function(num){return this.
length>num.length?this.clone().iuor(num):num.clone().iuor(this)},"uor"),BN2.prototype.iuand=__name(function(num){var b;this.
length>num.length?b=num:b=this;for(var i=0;i<b.length;i++)this.words[i]=this.words[i]&num.words[i];return this.length=b.
length,this._strip()},"iuand"),BN2.prototype.iand=__name(function(num){return assert((this.negative|num.negative)===0),this.
iuand(num)},"iand"),BN2.prototype.and=__name(function(num){return this.length>num.length?this.clone().iand(num):num.clone().
iand(this)},"and"),BN2.prototype.uand=__name(function(num){return this.length>num.length?this.clone().iuand(num):num.clone().
iuand(this)},"uand"),BN2.prototype.iuxor=__name(function(num){var a,b;this.length>num.length?(a=this,b=num):(a=num,b=this);
for(var i=0;i<b.length;i++)this.words[i]=a.words[i]^b.words[i];if(this!==a)for(;i<a.length;i++)this.words[i]=a.words[i];
return this.length=a.length,this._strip()},"iuxor"),BN2.prototype.ixor=__name(function(num){return assert((this.negative|
num.negative)===0),this.iuxor(num)},"ixor"),BN2.prototype.xor=__name(function(num){return this.length>num.length?this.clone().
ixor(num):num.clone().ixor(this)},"xor"),BN2.prototype.uxor=__name(function(num){return this.length>num.length?this.clone().
iuxor(num):num.clone().iuxor(this)},"uxor"),BN2.prototype.inotn=__name(function(width){assert(typeof width=="number"&&width>=
0);var bytesNeeded=Math.ceil(width/26)|0,bitsLeft=width%26;this._expand(bytesNeeded),bitsLeft>0&&bytesNeeded--;for(var i=0;i<
bytesNeeded;i++)this.words[i]=~this.words[i]&67108863;for(bitsLeft>0&&(this.words[i]=~this.words[i]&67108863>>26-bitsLeft,
i++);i<this.length;i++)this.words[i]=0;return this._strip()},"inotn"),BN2.prototype.notn=__name(function(width){return this.
clone().inotn(width)},"notn"),BN2.prototype.setn=__name(function(bit,val){assert(typeof bit=="number"&&bit>=0);var off=bit/
26|0,wbit=bit%26;return this._expand(off+1),val?this.words[off]=this.words[off]|1<<wbit:this.words[off]=this.words[off]&
~(1<<wbit),this._strip()},"setn"),BN2.prototype.iadd=__name(function(num){var r2;if(this.negative!==0&&num.negative===0)
return this.negative=0,r2=this.isub(num),this.negative^=1,this._normSign();if(this.negative===0&&num.negative!==0)return num.
negative=0,r2=this.isub(num),num.negative=1,r2._normSign();var a,b;this.length>num.length?(a=this,b=num):(a=num,b=this);
for(var carry=0,i=0;i<b.length;i++)r2=(a.words[i]|0)+(b.words[i]|0)+carry,this.words[i]=r2&67108863,carry=r2>>>26;for(;carry!==
0&&i<a.length;i++)r2=(a.words[i]|0)+carry,this.words[i]=r2&67108863,carry=r2>>>26;if(this.length=a.length,carry!==0)this.
words[this.length]=carry,this.length++;else if(a!==this)for(;i<a.length;i++)this.words[i]=a.words[i];return this},"iadd"),
BN2.prototype.add=__name(function(num){var res;return num.negative!==0&&this.negative===0?(num.negative=0,res=this.sub(num),
num.negative^=1,res):num.negative===0&&this.negative!==0?(this.negative=0,res=num.sub(this),this.negative=1,res):this.length>
num.length?this.clone().iadd(num):num.clone().iadd(this)},"add"),BN2.prototype.isub=__name(function(num){if(num.negative!==
0){num.negative=0;var r2=this.iadd(num);return num.negative=1,r2._normSign()}else if(this.negative!==0)return this.negative=
0,this.iadd(num),this.negative=1,this._normSign();var cmp=this.cmp(num);if(cmp===0)return this.negative=0,this.length=1,
this.words[0]=0,this;var a,b;cmp>0?(a=this,b=num):(a=num,b=this);for(var carry=0,i=0;i<b.length;i++)r2=(a.words[i]|0)-(b.
words[i]|0)+carry,carry=r2>>26,this.words[i]=r2&67108863;for(;carry!==0&&i<a.length;i++)r2=(a.words[i]|0)+carry,carry=r2>>
26,this.words[i]=r2&67108863;if(carry===0&&i<a.length&&a!==this)for(;i<a.length;i++)this.words[i]=a.words[i];return this.
length=Math.max(this.length,i),a!==this&&(this.negative=1),this._strip()},"isub"),BN2.prototype.sub=__name(function(num){
return this.clone().isub(num)},"sub");function smallMulTo(self2,num,out){out.negative=num.negative^self2.negative;var len=self2.
length+num.length|0;out.length=len,len=len-1|0;var a=self2.words[0]|0,b=num.words[0]|0,r2=a*b,lo=r2&67108863,carry=r2/67108864|
0;out.words[0]=lo;for(var k=1;k<len;k++){for(var ncarry=carry>>>26,rword=carry&67108863,maxJ=Math.min(k,num.length-1),j=Math.
max(0,k-self2.length+1);j<=maxJ;j++){var i=k-j|0;a=self2.words[i]|0,b=num.words[j]|0,r2=a*b+rword,ncarry+=r2/67108864|0,
rword=r2&67108863}out.words[k]=rword|0,carry=ncarry|0}return carry!==0?out.words[k]=carry|0:out.length--,out._strip()}__name(
smallMulTo,"smallMulTo");var comb10MulTo=__name(function(self2,num,out){var a=self2.words,b=num.words,o=out.words,c=0,lo,
mid,hi,a0=a[0]|0,al0=a0&8191,ah0=a0>>>13,a1=a[1]|0,al1=a1&8191,ah1=a1>>>13,a2=a[2]|0,al2=a2&8191,ah2=a2>>>13,a3=a[3]|0,al3=a3&
8191,ah3=a3>>>13,a4=a[4]|0,al4=a4&8191,ah4=a4>>>13,a5=a[5]|0,al5=a5&8191,ah5=a5>>>13,a6=a[6]|0,al6=a6&8191,ah6=a6>>>13,a7=a[7]|
0,al7=a7&8191,ah7=a7>>>13,a8=a[8]|0,al8=a8&8191,ah8=a8>>>13,a9=a[9]|0,al9=a9&8191,ah9=a9>>>13,b0=b[0]|0,bl0=b0&8191,bh0=b0>>>
13,b1=b[1]|0,bl1=b1&8191,bh1=b1>>>13,b2=b[2]|0,bl2=b2&8191,bh2=b2>>>13,b3=b[3]|0,bl3=b3&8191,bh3=b3>>>13,b4=b[4]|0,bl4=b4&
8191,bh4=b4>>>13,b5=b[5]|0,bl5=b5&8191,bh5=b5>>>13,b6=b[6]|0,bl6=b6&8191,bh6=b6>>>13,b7=b[7]|0,bl7=b7&8191,bh7=b7>>>13,b8=b[8]|
0,bl8=b8&8191,bh8=b8>>>13,b9=b[9]|0,bl9=b9&8191,bh9=b9>>>13;out.negative=self2.negative^num.negative,out.length=19,lo=Math.
imul(al0,bl0),mid=Math.imul(al0,bh0),mid=mid+Math.imul(ah0,bl0)|0,hi=Math.imul(ah0,bh0);var w0=(c+lo|0)+((mid&8191)<<13)|
0;c=(hi+(mid>>>13)|0)+(w0>>>26)|0,w0&=67108863,lo=Math.imul(al1,bl0),mid=Math.imul(al1,bh0),mid=mid+Math.imul(ah1,bl0)|0,
hi=Math.imul(ah1,bh0),lo=lo+Math.imul(al0,bl1)|0,mid=mid+Math.imul(al0,bh1)|0,mid=mid+Math.imul(ah0,bl1)|0,hi=hi+Math.imul(
ah0,bh1)|0;var w1=(c+lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+(w1>>>26)|0,w1&=67108863,lo=Math.imul(al2,bl0),mid=Math.
imul(al2,bh0),mid=mid+Math.imul(ah2,bl0)|0,hi=Math.imul(ah2,bh0),lo=lo+Math.imul(al1,bl1)|0,mid=mid+Math.imul(al1,bh1)|0,
mid=mid+Math.imul(ah1,bl1)|0,hi=hi+Math.imul(ah1,bh1)|0,lo=lo+Math.imul(al0,bl2)|0,mid=mid+Math.imul(al0,bh2)|0,mid=mid+
Math.imul(ah0,bl2)|0,hi=hi+Math.imul(ah0,bh2)|0;var w2=(c+lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+(w2>>>26)|0,w2&=67108863,
lo=Math.imul(al3,bl0),mid=Math.imul(al3,bh0),mid=mid+Math.imul(ah3,bl0)|0,hi=Math.imul(ah3,bh0),lo=lo+Math.imul(al2,bl1)|
0,mid=mid+Math.imul(al2,bh1)|0,mid=mid+Math.imul(ah2,bl1)|0,hi=hi+Math.imul(ah2,bh1)|0,lo=lo+Math.imul(al1,bl2)|0,mid=mid+
Math.imul(al1,bh2)|0,mid=mid+Math.imul(ah1,bl2)|0,hi=hi+Math.imul(ah1,bh2)|0,lo=lo+Math.imul(al0,bl3)|0,mid=mid+Math.imul(
al0,bh3)|0,mid=mid+Math.imul(ah0,bl3)|0,hi=hi+Math.imul(ah0,bh3)|0;var w3=(c+lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+
(w3>>>26)|0,w3&=67108863,lo=Math.imul(al4,bl0),mid=Math.imul(al4,bh0),mid=mid+Math.imul(ah4,bl0)|0,hi=Math.imul(ah4,bh0),
lo=lo+Math.imul(al3,bl1)|0,mid=mid+Math.imul(al3,bh1)|0,mid=mid+Math.imul(ah3,bl1)|0,hi=hi+Math.imul(ah3,bh1)|0,lo=lo+Math.
imul(al2,bl2)|0,mid=mid+Math.imul(al2,bh2)|0,mid=mid+Math.imul(ah2,bl2)|0,hi=hi+Math.imul(ah2,bh2)|0,lo=lo+Math.imul(al1,
bl3)|0,mid=mid+Math.imul(al1,bh3)|0,mid=mid+Math.imul(ah1,bl3)|0,hi=hi+Math.imul(ah1,bh3)|0,lo=lo+Math.imul(al0,bl4)|0,mid=
mid+Math.imul(al0,bh4)|0,mid=mid+Math.imul(ah0,bl4)|0,hi=hi+Math.imul(ah0,bh4)|0;var w4=(c+lo|0)+((mid&8191)<<13)|0;c=(hi+
(mid>>>13)|0)+(w4>>>26)|0,w4&=67108863,lo=Math.imul(al5,bl0),mid=Math.imul(al5,bh0),mid=mid+Math.imul(ah5,bl0)|0,hi=Math.
imul(ah5,bh0),lo=lo+Math.imul(al4,bl1)|0,mid=mid+Math.imul(al4,bh1)|0,mid=mid+Math.imul(ah4,bl1)|0,hi=hi+Math.imul(ah4,bh1)|
0,lo=lo+Math.imul(al3,bl2)|0,mid=mid+Math.imul(al3,bh2)|0,mid=mid+Math.imul(ah3,bl2)|0,hi=hi+Math.imul(ah3,bh2)|0,lo=lo+
Math.imul(al2,bl3)|0,mid=mid+Math.imul(al2,bh3)|0,mid=mid+Math.imul(ah2,bl3)|0,hi=hi+Math.imul(ah2,bh3)|0,lo=lo+Math.imul(
al1,bl4)|0,mid=mid+Math.imul(al1,bh4)|0,mid=mid+Math.imul(ah1,bl4)|0,hi=hi+Math.imul(ah1,bh4)|0,lo=lo+Math.imul(al0,bl5)|
0,mid=mid+Math.imul(al0,bh5)|0,mid=mid+Math.imul(ah0,bl5)|0,hi=hi+Math.imul(ah0,bh5)|0;var w5=(c+lo|0)+((mid&8191)<<13)|
0;c=(hi+(mid>>>13)|0)+(w5>>>26)|0,w5&=67108863,lo=Math.imul(al6,bl0),mid=Math.imul(al6,bh0),mid=mid+Math.imul(ah6,bl0)|0,
hi=Math.imul(ah6,bh0),lo=lo+Math.imul(al5,bl1)|0,mid=mid+Math.imul(al5,bh1)|0,mid=mid+Math.imul(ah5,bl1)|0,hi=hi+Math.imul(
ah5,bh1)|0,lo=lo+Math.imul(al4,bl2)|0,mid=mid+Math.imul(al4,bh2)|0,mid=mid+Math.imul(ah4,bl2)|0,hi=hi+Math.imul(ah4,bh2)|
0,lo=lo+Math.imul(al3,bl3)|0,mid=mid+Math.imul(al3,bh3)|0,mid=mid+Math.imul(ah3,bl3)|0,hi=hi+Math.imul(ah3,bh3)|0,lo=lo+
Math.imul(al2,bl4)|0,mid=mid+Math.imul(al2,bh4)|0,mid=mid+Math.imul(ah2,bl4)|0,hi=hi+Math.imul(ah2,bh4)|0,lo=lo+Math.imul(
al1,bl5)|0,mid=mid+Math.imul(al1,bh5)|0,mid=mid+Math.imul(ah1,bl5)|0,hi=hi+Math.imul(ah1,bh5)|0,lo=lo+Math.imul(al0,bl6)|
0,mid=mid+Math.imul(al0,bh6)|0,mid=mid+Math.imul(ah0,bl6)|0,hi=hi+Math.imul(ah0,bh6)|0;var w6=(c+lo|0)+((mid&8191)<<13)|
0;c=(hi+(mid>>>13)|0)+(w6>>>26)|0,w6&=67108863,lo=Math.imul(al7,bl0),mid=Math.imul(al7,bh0),mid=mid+Math.imul(ah7,bl0)|0,
hi=Math.imul(ah7,bh0),lo=lo+Math.imul(al6,bl1)|0,mid=mid+Math.imul(al6,bh1)|0,mid=mid+Math.imul(ah6,bl1)|0,hi=hi+Math.imul(
ah6,bh1)|0,lo=lo+Math.imul(al5,bl2)|0,mid=mid+Math.imul(al5,bh2)|0,mid=mid+Math.imul(ah5,bl2)|0,hi=hi+Math.imul(ah5,bh2)|
0,lo=lo+Math.imul(al4,bl3)|0,mid=mid+Math.imul(al4,bh3)|0,mid=mid+Math.imul(ah4,bl3)|0,hi=hi+Math.imul(ah4,bh3)|0,lo=lo+
Math.imul(al3,bl4)|0,mid=mid+Math.imul(al3,bh4)|0,mid=mid+Math.imul(ah3,bl4)|0,hi=hi+Math.imul(ah3,bh4)|0,lo=lo+Math.imul(
al2,bl5)|0,mid=mid+Math.imul(al2,bh5)|0,mid=mid+Math.imul(ah2,bl5)|0,hi=hi+Math.imul(ah2,bh5)|0,lo=lo+Math.imul(al1,bl6)|
0,mid=mid+Math.imul(al1,bh6)|0,mid=mid+Math.imul(ah1,bl6)|0,hi=hi+Math.imul(ah1,bh6)|0,lo=lo+Math.imul(al0,bl7)|0,mid=mid+
Math.imul(al0,bh7)|0,mid=mid+Math.imul(ah0,bl7)|0,hi=hi+Math.imul(ah0,bh7)|0;var w7=(c+lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>
13)|0)+(w7>>>26)|0,w7&=67108863,lo=Math.imul(al8,bl0),mid=Math.imul(al8,bh0),mid=mid+Math.imul(ah8,bl0)|0,hi=Math.imul(ah8,
bh0),lo=lo+Math.imul(al7,bl1)|0,mid=mid+Math.imul(al7,bh1)|0,mid=mid+Math.imul(ah7,bl1)|0,hi=hi+Math.imul(ah7,bh1)|0,lo=
lo+Math.imul(al6,bl2)|0,mid=mid+Math.imul(al6,bh2)|0,mid=mid+Math.imul(ah6,bl2)|0,hi=hi+Math.imul(ah6,bh2)|0,lo=lo+Math.
imul(al5,bl3)|0,mid=mid+Math.imul(al5,bh3)|0,mid=mid+Math.imul(ah5,bl3)|0,hi=hi+Math.imul(ah5,bh3)|0,lo=lo+Math.imul(al4,
bl4)|0,mid=mid+Math.imul(al4,bh4)|0,mid=mid+Math.imul(ah4,bl4)|0,hi=hi+Math.imul(ah4,bh4)|0,lo=lo+Math.imul(al3,bl5)|0,mid=
mid+Math.imul(al3,bh5)|0,mid=mid+Math.imul(ah3,bl5)|0,hi=hi+Math.imul(ah3,bh5)|0,lo=lo+Math.imul(al2,bl6)|0,mid=mid+Math.
imul(al2,bh6)|0,mid=mid+Math.imul(ah2,bl6)|0,hi=hi+Math.imul(ah2,bh6)|0,lo=lo+Math.imul(al1,bl7)|0,mid=mid+Math.imul(al1,
bh7)|0,mid=mid+Math.imul(ah1,bl7)|0,hi=hi+Math.imul(ah1,bh7)|0,lo=lo+Math.imul(al0,bl8)|0,mid=mid+Math.imul(al0,bh8)|0,mid=
mid+Math.imul(ah0,bl8)|0,hi=hi+Math.imul(ah0,bh8)|0;var w8=(c+lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+(w8>>>26)|0,w8&=
67108863,lo=Math.imul(al9,bl0),mid=Math.imul(al9,bh0),mid=mid+Math.imul(ah9,bl0)|0,hi=Math.imul(ah9,bh0),lo=lo+Math.imul(
al8,bl1)|0,mid=mid+Math.imul(al8,bh1)|0,mid=mid+Math.imul(ah8,bl1)|0,hi=hi+Math.imul(ah8,bh1)|0,lo=lo+Math.imul(al7,bl2)|
0,mid=mid+Math.imul(al7,bh2)|0,mid=mid+Math.imul(ah7,bl2)|0,hi=hi+Math.imul(ah7,bh2)|0,lo=lo+Math.imul(al6,bl3)|0,mid=mid+
Math.imul(al6,bh3)|0,mid=mid+Math.imul(ah6,bl3)|0,hi=hi+Math.imul(ah6,bh3)|0,lo=lo+Math.imul(al5,bl4)|0,mid=mid+Math.imul(
al5,bh4)|0,mid=mid+Math.imul(ah5,bl4)|0,hi=hi+Math.imul(ah5,bh4)|0,lo=lo+Math.imul(al4,bl5)|0,mid=mid+Math.imul(al4,bh5)|
0,mid=mid+Math.imul(ah4,bl5)|0,hi=hi+Math.imul(ah4,bh5)|0,lo=lo+Math.imul(al3,bl6)|0,mid=mid+Math.imul(al3,bh6)|0,mid=mid+
Math.imul(ah3,bl6)|0,hi=hi+Math.imul(ah3,bh6)|0,lo=lo+Math.imul(al2,bl7)|0,mid=mid+Math.imul(al2,bh7)|0,mid=mid+Math.imul(
ah2,bl7)|0,hi=hi+Math.imul(ah2,bh7)|0,lo=lo+Math.imul(al1,bl8)|0,mid=mid+Math.imul(al1,bh8)|0,mid=mid+Math.imul(ah1,bl8)|
0,hi=hi+Math.imul(ah1,bh8)|0,lo=lo+Math.imul(al0,bl9)|0,mid=mid+Math.imul(al0,bh9)|0,mid=mid+Math.imul(ah0,bl9)|0,hi=hi+
Math.imul(ah0,bh9)|0;var w9=(c+lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+(w9>>>26)|0,w9&=67108863,lo=Math.imul(al9,bl1),
mid=Math.imul(al9,bh1),mid=mid+Math.imul(ah9,bl1)|0,hi=Math.imul(ah9,bh1),lo=lo+Math.imul(al8,bl2)|0,mid=mid+Math.imul(al8,
bh2)|0,mid=mid+Math.imul(ah8,bl2)|0,hi=hi+Math.imul(ah8,bh2)|0,lo=lo+Math.imul(al7,bl3)|0,mid=mid+Math.imul(al7,bh3)|0,mid=
mid+Math.imul(ah7,bl3)|0,hi=hi+Math.imul(ah7,bh3)|0,lo=lo+Math.imul(al6,bl4)|0,mid=mid+Math.imul(al6,bh4)|0,mid=mid+Math.
imul(ah6,bl4)|0,hi=hi+Math.imul(ah6,bh4)|0,lo=lo+Math.imul(al5,bl5)|0,mid=mid+Math.imul(al5,bh5)|0,mid=mid+Math.imul(ah5,
bl5)|0,hi=hi+Math.imul(ah5,bh5)|0,lo=lo+Math.imul(al4,bl6)|0,mid=mid+Math.imul(al4,bh6)|0,mid=mid+Math.imul(ah4,bl6)|0,hi=
hi+Math.imul(ah4,bh6)|0,lo=lo+Math.imul(al3,bl7)|0,mid=mid+Math.imul(al3,bh7)|0,mid=mid+Math.imul(ah3,bl7)|0,hi=hi+Math.
imul(ah3,bh7)|0,lo=lo+Math.imul(al2,bl8)|0,mid=mid+Math.imul(al2,bh8)|0,mid=mid+Math.imul(ah2,bl8)|0,hi=hi+Math.imul(ah2,
bh8)|0,lo=lo+Math.imul(al1,bl9)|0,mid=mid+Math.imul(al1,bh9)|0,mid=mid+Math.imul(ah1,bl9)|0,hi=hi+Math.imul(ah1,bh9)|0;var w10=(c+
lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+(w10>>>26)|0,w10&=67108863,lo=Math.imul(al9,bl2),mid=Math.imul(al9,bh2),mid=
mid+Math.imul(ah9,bl2)|0,hi=Math.imul(ah9,bh2),lo=lo+Math.imul(al8,bl3)|0,mid=mid+Math.imul(al8,bh3)|0,mid=mid+Math.imul(
ah8,bl3)|0,hi=hi+Math.imul(ah8,bh3)|0,lo=lo+Math.imul(al7,bl4)|0,mid=mid+Math.imul(al7,bh4)|0,mid=mid+Math.imul(ah7,bl4)|
0,hi=hi+Math.imul(ah7,bh4)|0,lo=lo+Math.imul(al6,bl5)|0,mid=mid+Math.imul(al6,bh5)|0,mid=mid+Math.imul(ah6,bl5)|0,hi=hi+
Math.imul(ah6,bh5)|0,lo=lo+Math.imul(al5,bl6)|0,mid=mid+Math.imul(al5,bh6)|0,mid=mid+Math.imul(ah5,bl6)|0,hi=hi+Math.imul(
ah5,bh6)|0,lo=lo+Math.imul(al4,bl7)|0,mid=mid+Math.imul(al4,bh7)|0,mid=mid+Math.imul(ah4,bl7)|0,hi=hi+Math.imul(ah4,bh7)|
0,lo=lo+Math.imul(al3,bl8)|0,mid=mid+Math.imul(al3,bh8)|0,mid=mid+Math.imul(ah3,bl8)|0,hi=hi+Math.imul(ah3,bh8)|0,lo=lo+
Math.imul(al2,bl9)|0,mid=mid+Math.imul(al2,bh9)|0,mid=mid+Math.imul(ah2,bl9)|0,hi=hi+Math.imul(ah2,bh9)|0;var w11=(c+lo|
0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+(w11>>>26)|0,w11&=67108863,lo=Math.imul(al9,bl3),mid=Math.imul(al9,bh3),mid=mid+
Math.imul(ah9,bl3)|0,hi=Math.imul(ah9,bh3),lo=lo+Math.imul(al8,bl4)|0,mid=mid+Math.imul(al8,bh4)|0,mid=mid+Math.imul(ah8,
bl4)|0,hi=hi+Math.imul(ah8,bh4)|0,lo=lo+Math.imul(al7,bl5)|0,mid=mid+Math.imul(al7,bh5)|0,mid=mid+Math.imul(ah7,bl5)|0,hi=
hi+Math.imul(ah7,bh5)|0,lo=lo+Math.imul(al6,bl6)|0,mid=mid+Math.imul(al6,bh6)|0,mid=mid+Math.imul(ah6,bl6)|0,hi=hi+Math.
imul(ah6,bh6)|0,lo=lo+Math.imul(al5,bl7)|0,mid=mid+Math.imul(al5,bh7)|0,mid=mid+Math.imul(ah5,bl7)|0,hi=hi+Math.imul(ah5,
bh7)|0,lo=lo+Math.imul(al4,bl8)|0,mid=mid+Math.imul(al4,bh8)|0,mid=mid+Math.imul(ah4,bl8)|0,hi=hi+Math.imul(ah4,bh8)|0,lo=
lo+Math.imul(al3,bl9)|0,mid=mid+Math.imul(al3,bh9)|0,mid=mid+Math.imul(ah3,bl9)|0,hi=hi+Math.imul(ah3,bh9)|0;var w12=(c+
lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+(w12>>>26)|0,w12&=67108863,lo=Math.imul(al9,bl4),mid=Math.imul(al9,bh4),mid=
mid+Math.imul(ah9,bl4)|0,hi=Math.imul(ah9,bh4),lo=lo+Math.imul(al8,bl5)|0,mid=mid+Math.imul(al8,bh5)|0,mid=mid+Math.imul(
ah8,bl5)|0,hi=hi+Math.imul(ah8,bh5)|0,lo=lo+Math.imul(al7,bl6)|0,mid=mid+Math.imul(al7,bh6)|0,mid=mid+Math.imul(ah7,bl6)|
0,hi=hi+Math.imul(ah7,bh6)|0,lo=lo+Math.imul(al6,bl7)|0,mid=mid+Math.imul(al6,bh7)|0,mid=mid+Math.imul(ah6,bl7)|0,hi=hi+
Math.imul(ah6,bh7)|0,lo=lo+Math.imul(al5,bl8)|0,mid=mid+Math.imul(al5,bh8)|0,mid=mid+Math.imul(ah5,bl8)|0,hi=hi+Math.imul(
ah5,bh8)|0,lo=lo+Math.imul(al4,bl9)|0,mid=mid+Math.imul(al4,bh9)|0,mid=mid+Math.imul(ah4,bl9)|0,hi=hi+Math.imul(ah4,bh9)|
0;var w13=(c+lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+(w13>>>26)|0,w13&=67108863,lo=Math.imul(al9,bl5),mid=Math.imul(
al9,bh5),mid=mid+Math.imul(ah9,bl5)|0,hi=Math.imul(ah9,bh5),lo=lo+Math.imul(al8,bl6)|0,mid=mid+Math.imul(al8,bh6)|0,mid=
mid+Math.imul(ah8,bl6)|0,hi=hi+Math.imul(ah8,bh6)|0,lo=lo+Math.imul(al7,bl7)|0,mid=mid+Math.imul(al7,bh7)|0,mid=mid+Math.
imul(ah7,bl7)|0,hi=hi+Math.imul(ah7,bh7)|0,lo=lo+Math.imul(al6,bl8)|0,mid=mid+Math.imul(al6,bh8)|0,mid=mid+Math.imul(ah6,
bl8)|0,hi=hi+Math.imul(ah6,bh8)|0,lo=lo+Math.imul(al5,bl9)|0,mid=mid+Math.imul(al5,bh9)|0,mid=mid+Math.imul(ah5,bl9)|0,hi=
hi+Math.imul(ah5,bh9)|0;var w14=(c+lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+(w14>>>26)|0,w14&=67108863,lo=Math.imul(
al9,bl6),mid=Math.imul(al9,bh6),mid=mid+Math.imul(ah9,bl6)|0,hi=Math.imul(ah9,bh6),lo=lo+Math.imul(al8,bl7)|0,mid=mid+Math.
imul(al8,bh7)|0,mid=mid+Math.imul(ah8,bl7)|0,hi=hi+Math.imul(ah8,bh7)|0,lo=lo+Math.imul(al7,bl8)|0,mid=mid+Math.imul(al7,
bh8)|0,mid=mid+Math.imul(ah7,bl8)|0,hi=hi+Math.imul(ah7,bh8)|0,lo=lo+Math.imul(al6,bl9)|0,mid=mid+Math.imul(al6,bh9)|0,mid=
mid+Math.imul(ah6,bl9)|0,hi=hi+Math.imul(ah6,bh9)|0;var w15=(c+lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+(w15>>>26)|0,
w15&=67108863,lo=Math.imul(al9,bl7),mid=Math.imul(al9,bh7),mid=mid+Math.imul(ah9,bl7)|0,hi=Math.imul(ah9,bh7),lo=lo+Math.
imul(al8,bl8)|0,mid=mid+Math.imul(al8,bh8)|0,mid=mid+Math.imul(ah8,bl8)|0,hi=hi+Math.imul(ah8,bh8)|0,lo=lo+Math.imul(al7,
bl9)|0,mid=mid+Math.imul(al7,bh9)|0,mid=mid+Math.imul(ah7,bl9)|0,hi=hi+Math.imul(ah7,bh9)|0;var w16=(c+lo|0)+((mid&8191)<<
13)|0;c=(hi+(mid>>>13)|0)+(w16>>>26)|0,w16&=67108863,lo=Math.imul(al9,bl8),mid=Math.imul(al9,bh8),mid=mid+Math.imul(ah9,
bl8)|0,hi=Math.imul(ah9,bh8),lo=lo+Math.imul(al8,bl9)|0,mid=mid+Math.imul(al8,bh9)|0,mid=mid+Math.imul(ah8,bl9)|0,hi=hi+
Math.imul(ah8,bh9)|0;var w17=(c+lo|0)+((mid&8191)<<13)|0;c=(hi+(mid>>>13)|0)+(w17>>>26)|0,w17&=67108863,lo=Math.imul(al9,
bl9),mid=Math.imul(al9,bh9),mid=mid+Math.imul(ah9,bl9)|0,hi=Math.imul(ah9,bh9);var w18=(c+lo|0)+((mid&8191)<<13)|0;return c=
(hi+(mid>>>13)|0)+(w18>>>26)|0,w18&=67108863,o[0]=w0,o[1]=w1,o[2]=w2,o[3]=w3,o[4]=w4,o[5]=w5,o[6]=w6,o[7]=w7,o[8]=w8,o[9]=
w9,o[10]=w10,o[11]=w11,o[12]=w12,o[13]=w13,o[14]=w14,o[15]=w15,o[16]=w16,o[17]=w17,o[18]=w18,c!==0&&(o[19]=c,out.length++),
out},"comb10MulTo");Math.imul||(comb10MulTo=smallMulTo);function bigMulTo(self2,num,out){out.negative=num.negative^self2.
negative,out.length=self2.length+num.length;for(var carry=0,hncarry=0,k=0;k<out.length-1;k++){var ncarry=hncarry;hncarry=
0;for(var rword=carry&67108863,maxJ=Math.min(k,num.length-1),j=Math.max(0,k-self2.length+1);j<=maxJ;j++){var i=k-j,a=self2.
words[i]|0,b=num.words[j]|0,r2=a*b,lo=r2&67108863;ncarry=ncarry+(r2/67108864|0)|0,lo=lo+rword|0,rword=lo&67108863,ncarry=
ncarry+(lo>>>26)|0,hncarry+=ncarry>>>26,ncarry&=67108863}out.words[k]=rword,carry=ncarry,ncarry=hncarry}return carry!==0?
out.words[k]=carry:out.length--,out._strip()}__name(bigMulTo,"bigMulTo");function jumboMulTo(self2,num,out){return bigMulTo(
self2,num,out)}__name(jumboMulTo,"jumboMulTo"),BN2.prototype.mulTo=__name(function(num,out){var res,len=this.length+num.
length;return this.length===10&&num.length===10?res=comb10MulTo(this,num,out):len<63?res=smallMulTo(this,num,out):len<1024?
res=bigMulTo(this,num,out):res=jumboMulTo(this,num,out),res},"mulTo");function FFTM(x,y){this.x=x,this.y=y}__name(FFTM,"\
FFTM"),FFTM.prototype.makeRBT=__name(function(N2){for(var t=new Array(N2),l=BN2.prototype._countBits(N2)-1,i=0;i<N2;i++)
t[i]=this.revBin(i,l,N2);return t},"makeRBT"),FFTM.prototype.revBin=__name(function(x,l,N2){if(x===0||x===N2-1)return x;
for(var rb=0,i=0;i<l;i++)rb|=(x&1)<<l-i-1,x>>=1;return rb},"revBin"),FFTM.prototype.permute=__name(function(rbt,rws,iws,rtws,itws,N2){
for(var i=0;i<N2;i++)rtws[i]=rws[rbt[i]],itws[i]=iws[rbt[i]]},"permute"),FFTM.prototype.transform=__name(function(rws,iws,rtws,itws,N2,rbt){
this.permute(rbt,rws,iws,rtws,itws,N2);for(var s=1;s<N2;s<<=1)for(var l=s<<1,rtwdf=Math.cos(2*Math.PI/l),itwdf=Math.sin(
2*Math.PI/l),p=0;p<N2;p+=l)for(var rtwdf_=rtwdf,itwdf_=itwdf,j=0;j<s;j++){var re=rtws[p+j],ie=itws[p+j],ro=rtws[p+j+s],io=itws[p+
j+s],rx=rtwdf_*ro-itwdf_*io;io=rtwdf_*io+itwdf_*ro,ro=rx,rtws[p+j]=re+ro,itws[p+j]=ie+io,rtws[p+j+s]=re-ro,itws[p+j+s]=ie-
io,j!==l&&(rx=rtwdf*rtwdf_-itwdf*itwdf_,itwdf_=rtwdf*itwdf_+itwdf*rtwdf_,rtwdf_=rx)}},"transform"),FFTM.prototype.guessLen13b=
__name(function(n,m){var N2=Math.max(m,n)|1,odd=N2&1,i=0;for(N2=N2/2|0;N2;N2=N2>>>1)i++;return 1<<i+1+odd},"guessLen13b"),
FFTM.prototype.conjugate=__name(function(rws,iws,N2){if(!(N2<=1))for(var i=0;i<N2/2;i++){var t=rws[i];rws[i]=rws[N2-i-1],
rws[N2-i-1]=t,t=iws[i],iws[i]=-iws[N2-i-1],iws[N2-i-1]=-t}},"conjugate"),FFTM.prototype.normalize13b=__name(function(ws,N2){
for(var carry=0,i=0;i<N2/2;i++){var w=Math.round(ws[2*i+1]/N2)*8192+Math.round(ws[2*i]/N2)+carry;ws[i]=w&67108863,w<67108864?
carry=0:carry=w/67108864|0}return ws},"normalize13b"),FFTM.prototype.convert13b=__name(function(ws,len,rws,N2){for(var carry=0,
i=0;i<len;i++)carry=carry+(ws[i]|0),rws[2*i]=carry&8191,carry=carry>>>13,rws[2*i+1]=carry&8191,carry=carry>>>13;for(i=2*
len;i<N2;++i)rws[i]=0;assert(carry===0),assert((carry&-8192)===0)},"convert13b"),FFTM.prototype.stub=__name(function(N2){
for(var ph=new Array(N2),i=0;i<N2;i++)ph[i]=0;return ph},"stub"),FFTM.prototype.mulp=__name(function(x,y,out){var N2=2*this.
guessLen13b(x.length,y.length),rbt=this.makeRBT(N2),_=this.stub(N2),rws=new Array(N2),rwst=new Array(N2),iwst=new Array(
N2),nrws=new Array(N2),nrwst=new Array(N2),niwst=new Array(N2),rmws=out.words;rmws.length=N2,this.convert13b(x.words,x.length,
rws,N2),this.convert13b(y.words,y.length,nrws,N2),this.transform(rws,_,rwst,iwst,N2,rbt),this.transform(nrws,_,nrwst,niwst,
N2,rbt);for(var i=0;i<N2;i++){var rx=rwst[i]*nrwst[i]-iwst[i]*niwst[i];iwst[i]=rwst[i]*niwst[i]+iwst[i]*nrwst[i],rwst[i]=
rx}return this.conjugate(rwst,iwst,N2),this.transform(rwst,iwst,rmws,_,N2,rbt),this.conjugate(rmws,_,N2),this.normalize13b(
rmws,N2),out.negative=x.negative^y.negative,out.length=x.length+y.length,out._strip()},"mulp"),BN2.prototype.mul=__name(
function(num){var out=new BN2(null);return out.words=new Array(this.length+num.length),this.mulTo(num,out)},"mul"),BN2.prototype.
mulf=__name(function(num){var out=new BN2(null);return out.words=new Array(this.length+num.length),jumboMulTo(this,num,out)},
"mulf"),BN2.prototype.imul=__name(function(num){return this.clone().mulTo(num,this)},"imul"),BN2.prototype.imuln=__name(
function(num){var isNegNum=num<0;isNegNum&&(num=-num),assert(typeof num=="number"),assert(num<67108864);for(var carry=0,
i=0;i<this.length;i++){var w=(this.words[i]|0)*num,lo=(w&67108863)+(carry&67108863);carry>>=26,carry+=w/67108864|0,carry+=
lo>>>26,this.words[i]=lo&67108863}return carry!==0&&(this.words[i]=carry,this.length++),num===0&&(this.length=1,this._normSign()),
isNegNum?this.ineg():this},"imuln"),BN2.prototype.muln=__name(function(num){return this.clone().imuln(num)},"muln"),BN2.
prototype.sqr=__name(function(){return this.mul(this)},"sqr"),BN2.prototype.isqr=__name(function(){return this.imul(this.
clone())},"isqr"),BN2.prototype.pow=__name(function(num){var w=toBitArray(num);if(w.length===0)return new BN2(1);for(var res=this,
i=0;i<w.length&&w[i]===0;i++,res=res.sqr());if(++i<w.length)for(var q=res.sqr();i<w.length;i++,q=q.sqr())w[i]!==0&&(res=
res.mul(q));return res},"pow"),BN2.prototype.iushln=__name(function(bits){assert(typeof bits=="number"&&bits>=0);var r2=bits%
26,s=(bits-r2)/26,carryMask=67108863>>>26-r2<<26-r2,i;if(r2!==0){var carry=0;for(i=0;i<this.length;i++){var newCarry=this.
words[i]&carryMask,c=(this.words[i]|0)-newCarry<<r2;this.words[i]=c|carry,carry=newCarry>>>26-r2}carry&&(this.words[i]=carry,
this.length++)}if(s!==0){for(i=this.length-1;i>=0;i--)this.words[i+s]=this.words[i];for(i=0;i<s;i++)this.words[i]=0;this.
length+=s}return this._strip()},"iushln"),BN2.prototype.ishln=__name(function(bits){return assert(this.negative===0),this.
iushln(bits)},"ishln"),BN2.prototype.iushrn=__name(function(bits,hint,extended){assert(typeof bits=="number"&&bits>=0);var h;
hint?h=(hint-hint%26)/26:h=0;var r2=bits%26,s=Math.min((bits-r2)/26,this.length),mask=67108863^67108863>>>r2<<r2,maskedWords=extended;
if(h-=s,h=Math.max(0,h),maskedWords){for(var i=0;i<s;i++)maskedWords.words[i]=this.words[i];maskedWords.length=s}if(s!==
0)if(this.length>s)for(this.length-=s,i=0;i<this.length;i++)this.words[i]=this.words[i+s];else this.words[0]=0,this.length=
1;var carry=0;for(i=this.length-1;i>=0&&(carry!==0||i>=h);i--){var word=this.words[i]|0;this.words[i]=carry<<26-r2|word>>>
r2,carry=word&mask}return maskedWords&&carry!==0&&(maskedWords.words[maskedWords.length++]=carry),this.length===0&&(this.
words[0]=0,this.length=1),this._strip()},"iushrn"),BN2.prototype.ishrn=__name(function(bits,hint,extended){return assert(
this.negative===0),this.iushrn(bits,hint,extended)},"ishrn"),BN2.prototype.shln=__name(function(bits){return this.clone().
ishln(bits)},"shln"),BN2.prototype.ushln=__name(function(bits){return this.clone().iushln(bits)},"ushln"),BN2.prototype.
shrn=__name(function(bits){return this.clone().ishrn(bits)},"shrn"),BN2.prototype.ushrn=__name(function(bits){return this.
clone().iushrn(bits)},"ushrn"),BN2.prototype.testn=__name(function(bit){assert(typeof bit=="number"&&bit>=0);var r2=bit%
26,s=(bit-r2)/26,q=1<<r2;if(this.length<=s)return!1;var w=this.words[s];return!!(w&q)},"testn"),BN2.prototype.imaskn=__name(
function(bits){assert(typeof bits=="number"&&bits>=0);var r2=bits%26,s=(bits-r2)/26;if(assert(this.negative===0,"imaskn \
works only with positive numbers"),this.length<=s)return this;if(r2!==0&&s++,this.length=Math.min(s,this.length),r2!==0){
var mask=67108863^67108863>>>r2<<r2;this.words[this.length-1]&=mask}return this.length===0&&(this.words[0]=0,this.length=
1),this._strip()},"imaskn"),BN2.prototype.maskn=__name(function(bits){return this.clone().imaskn(bits)},"maskn"),BN2.prototype.
iaddn=__name(function(num){return assert(typeof num=="number"),assert(num<67108864),num<0?this.isubn(-num):this.negative!==
0?this.length===1&&(this.words[0]|0)<=num?(this.words[0]=num-(this.words[0]|0),this.negative=0,this):(this.negative=0,this.
isubn(num),this.negative=1,this):this._iaddn(num)},"iaddn"),BN2.prototype._iaddn=__name(function(num){this.words[0]+=num;
for(var i=0;i<this.length&&this.words[i]>=67108864;i++)this.words[i]-=67108864,i===this.length-1?this.words[i+1]=1:this.
words[i+1]++;return this.length=Math.max(this.length,i+1),this},"_iaddn"),BN2.prototype.isubn=__name(function(num){if(assert(
typeof num=="number"),assert(num<67108864),num<0)return this.iaddn(-num);if(this.negative!==0)return this.negative=0,this.
iaddn(num),this.negative=1,this;if(this.words[0]-=num,this.length===1&&this.words[0]<0)this.words[0]=-this.words[0],this.
negative=1;else for(var i=0;i<this.length&&this.words[i]<0;i++)this.words[i]+=67108864,this.words[i+1]-=1;return this._strip()},
"isubn"),BN2.prototype.addn=__name(function(num){return this.clone().iaddn(num)},"addn"),BN2.prototype.subn=__name(function(num){
return this.clone().isubn(num)},"subn"),BN2.prototype.iabs=__name(function(){return this.negative=0,this},"iabs"),BN2.prototype.
abs=__name(function(){return this.clone().iabs()},"abs"),BN2.prototype._ishlnsubmul=__name(function(num,mul,shift){var len=num.
length+shift,i;this._expand(len);var w,carry=0;for(i=0;i<num.length;i++){w=(this.words[i+shift]|0)+carry;var right=(num.
words[i]|0)*mul;w-=right&67108863,carry=(w>>26)-(right/67108864|0),this.words[i+shift]=w&67108863}for(;i<this.length-shift;i++)
w=(this.words[i+shift]|0)+carry,carry=w>>26,this.words[i+shift]=w&67108863;if(carry===0)return this._strip();for(assert(
carry===-1),carry=0,i=0;i<this.length;i++)w=-(this.words[i]|0)+carry,carry=w>>26,this.words[i]=w&67108863;return this.negative=
1,this._strip()},"_ishlnsubmul"),BN2.prototype._wordDiv=__name(function(num,mode){var shift=this.length-num.length,a=this.
clone(),b=num,bhi=b.words[b.length-1]|0,bhiBits=this._countBits(bhi);shift=26-bhiBits,shift!==0&&(b=b.ushln(shift),a.iushln(
shift),bhi=b.words[b.length-1]|0);var m=a.length-b.length,q;if(mode!=="mod"){q=new BN2(null),q.length=m+1,q.words=new Array(
q.length);for(var i=0;i<q.length;i++)q.words[i]=0}var diff=a.clone()._ishlnsubmul(b,1,m);diff.negative===0&&(a=diff,q&&(q.
words[m]=1));for(var j=m-1;j>=0;j--){var qj=(a.words[b.length+j]|0)*67108864+(a.words[b.length+j-1]|0);for(qj=Math.min(qj/
bhi|0,67108863),a._ishlnsubmul(b,qj,j);a.negative!==0;)qj--,a.negative=0,a._ishlnsubmul(b,1,j),a.isZero()||(a.negative^=
1);q&&(q.words[j]=qj)}return q&&q._strip(),a._strip(),mode!=="div"&&shift!==0&&a.iushrn(shift),{div:q||null,mod:a}},"_wo\
rdDiv"),BN2.prototype.divmod=__name(function(num,mode,positive){if(assert(!num.isZero()),this.isZero())return{div:new BN2(
0),mod:new BN2(0)};var div,mod,res;return this.negative!==0&&num.negative===0?(res=this.neg().divmod(num,mode),mode!=="m\
od"&&(div=res.div.neg()),mode!=="div"&&(mod=res.mod.neg(),positive&&mod.negative!==0&&mod.iadd(num)),{div,mod}):this.negative===
0&&num.negative!==0?(res=this.divmod(num.neg(),mode),mode!=="mod"&&(div=res.div.neg()),{div,mod:res.mod}):(this.negative&
num.negative)!==0?(res=this.neg().divmod(num.neg(),mode),mode!=="div"&&(mod=res.mod.neg(),positive&&mod.negative!==0&&mod.
isub(num)),{div:res.div,mod}):num.length>this.length||this.cmp(num)<0?{div:new BN2(0),mod:this}:num.length===1?mode==="d\
iv"?{div:this.divn(num.words[0]),mod:null}:mode==="mod"?{div:null,mod:new BN2(this.modrn(num.words[0]))}:{div:this.divn(
num.words[0]),mod:new BN2(this.modrn(num.words[0]))}:this._wordDiv(num,mode)},"divmod"),BN2.prototype.div=__name(function(num){
return this.divmod(num,"div",!1).div},"div"),BN2.prototype.mod=__name(function(num){return this.divmod(num,"mod",!1).mod},
"mod"),BN2.prototype.umod=__name(function(num){return this.divmod(num,"mod",!0).mod},"umod"),BN2.prototype.divRound=__name(
function(num){var dm=this.divmod(num);if(dm.mod.isZero())return dm.div;var mod=dm.mod.abs(),half=num.abs().iushrn(1),r2=num.
words[0]&1,cmp=mod.cmp(half);if(cmp<0||r2===1&&cmp===0)return dm.div;var up=new BN2(1);return up.negative=this.negative^
num.negative,dm.div.iadd(up)},"divRound"),BN2.prototype.modrn=__name(function(num){var isNegNum=num<0;isNegNum&&(num=-num),
assert(num<=67108863);for(var p=(1<<26)%num,acc=0,i=this.length-1;i>=0;i--)acc=(p*acc+(this.words[i]|0))%num;return isNegNum?
-acc:acc},"modrn"),BN2.prototype.modn=__name(function(num){return this.modrn(num)},"modn"),BN2.prototype.idivn=__name(function(num){
var isNegNum=num<0;isNegNum&&(num=-num),assert(num<=67108863);for(var carry=0,i=this.length-1;i>=0;i--){var w=(this.words[i]|
0)+carry*67108864;this.words[i]=w/num|0,carry=w%num}return this._strip(),isNegNum?this.ineg():this},"idivn"),BN2.prototype.
divn=__name(function(num){return this.clone().idivn(num)},"divn"),BN2.prototype.egcd=__name(function(p){assert(p.negative===
0),assert(!p.isZero());var x=this,y=p.clone();x.negative!==0?x=x.umod(p):x=x.clone();for(var A=new BN2(1),B=new BN2(0),C=new BN2(
0),D=new BN2(1),g=0;x.isEven()&&y.isEven();)x.iushrn(1),y.iushrn(1),++g;for(var yp=y.clone(),xp=x.clone();!x.isZero();){
for(var i=0,im=1;(x.words[0]&im)===0&&i<26;++i,im<<=1);if(i>0)for(x.iushrn(i);i-- >0;)(A.isOdd()||B.isOdd())&&(A.iadd(yp),
B.isub(xp)),A.iushrn(1),B.iushrn(1);for(var j=0,jm=1;(y.words[0]&jm)===0&&j<26;++j,jm<<=1);if(j>0)for(y.iushrn(j);j-- >0;)
(C.isOdd()||D.isOdd())&&(C.iadd(yp),D.isub(xp)),C.iushrn(1),D.iushrn(1);x.cmp(y)>=0?(x.isub(y),A.isub(C),B.isub(D)):(y.isub(
x),C.isub(A),D.isub(B))}return{a:C,b:D,gcd:y.iushln(g)}},"egcd"),BN2.prototype._invmp=__name(function(p){assert(p.negative===
0),assert(!p.isZero());var a=this,b=p.clone();a.negative!==0?a=a.umod(p):a=a.clone();for(var x1=new BN2(1),x2=new BN2(0),
delta=b.clone();a.cmpn(1)>0&&b.cmpn(1)>0;){for(var i=0,im=1;(a.words[0]&im)===0&&i<26;++i,im<<=1);if(i>0)for(a.iushrn(i);i-- >
0;)x1.isOdd()&&x1.iadd(delta),x1.iushrn(1);for(var j=0,jm=1;(b.words[0]&jm)===0&&j<26;++j,jm<<=1);if(j>0)for(b.iushrn(j);j-- >
0;)x2.isOdd()&&x2.iadd(delta),x2.iushrn(1);a.cmp(b)>=0?(a.isub(b),x1.isub(x2)):(b.isub(a),x2.isub(x1))}var res;return a.
cmpn(1)===0?res=x1:res=x2,res.cmpn(0)<0&&res.iadd(p),res},"_invmp"),BN2.prototype.gcd=__name(function(num){if(this.isZero())
return num.abs();if(num.isZero())return this.abs();var a=this.clone(),b=num.clone();a.negative=0,b.negative=0;for(var shift=0;a.
isEven()&&b.isEven();shift++)a.iushrn(1),b.iushrn(1);do{for(;a.isEven();)a.iushrn(1);for(;b.isEven();)b.iushrn(1);var r2=a.
cmp(b);if(r2<0){var t=a;a=b,b=t}else if(r2===0||b.cmpn(1)===0)break;a.isub(b)}while(!0);return b.iushln(shift)},"gcd"),BN2.
prototype.invm=__name(function(num){return this.egcd(num).a.umod(num)},"invm"),BN2.prototype.isEven=__name(function(){return(this.
words[0]&1)===0},"isEven"),BN2.prototype.isOdd=__name(function(){return(this.words[0]&1)===1},"isOdd"),BN2.prototype.andln=
__name(function(num){return this.words[0]&num},"andln"),BN2.prototype.bincn=__name(function(bit){assert(typeof bit=="num\
ber");var r2=bit%26,s=(bit-r2)/26,q=1<<r2;if(this.length<=s)return this._expand(s+1),this.words[s]|=q,this;for(var carry=q,
i=s;carry!==0&&i<this.length;i++){var w=this.words[i]|0;w+=carry,carry=w>>>26,w&=67108863,this.words[i]=w}return carry!==
0&&(this.words[i]=carry,this.length++),this},"bincn"),BN2.prototype.isZero=__name(function(){return this.length===1&&this.
words[0]===0},"isZero"),BN2.prototype.cmpn=__name(function(num){var negative=num<0;if(this.negative!==0&&!negative)return-1;
if(this.negative===0&&negative)return 1;this._strip();var res;if(this.length>1)res=1;else{negative&&(num=-num),assert(num<=
67108863,"Number is too big");var w=this.words[0]|0;res=w===num?0:w<num?-1:1}return this.negative!==0?-res|0:res},"cmpn"),
BN2.prototype.cmp=__name(function(num){if(this.negative!==0&&num.negative===0)return-1;if(this.negative===0&&num.negative!==
0)return 1;var res=this.ucmp(num);return this.negative!==0?-res|0:res},"cmp"),BN2.prototype.ucmp=__name(function(num){if(this.
length>num.length)return 1;if(this.length<num.length)return-1;for(var res=0,i=this.length-1;i>=0;i--){var a=this.words[i]|
0,b=num.words[i]|0;if(a!==b){a<b?res=-1:a>b&&(res=1);break}}return res},"ucmp"),BN2.prototype.gtn=__name(function(num){return this.
cmpn(num)===1},"gtn"),BN2.prototype.gt=__name(function(num){return this.cmp(num)===1},"gt"),BN2.prototype.gten=__name(function(num){
return this.cmpn(num)>=0},"gten"),BN2.prototype.gte=__name(function(num){return this.cmp(num)>=0},"gte"),BN2.prototype.ltn=
__name(function(num){return this.cmpn(num)===-1},"ltn"),BN2.prototype.lt=__name(function(num){return this.cmp(num)===-1},
"lt"),BN2.prototype.lten=__name(function(num){return this.cmpn(num)<=0},"lten"),BN2.prototype.lte=__name(function(num){return this.
cmp(num)<=0},"lte"),BN2.prototype.eqn=__name(function(num){return this.cmpn(num)===0},"eqn"),BN2.prototype.eq=__name(function(num){
return this.cmp(num)===0},"eq"),BN2.red=__name(function(num){return new Red(num)},"red"),BN2.prototype.toRed=__name(function(ctx){
return assert(!this.red,"Already a number in reduction context"),assert(this.negative===0,"red works only with positives"),
ctx.convertTo(this)._forceRed(ctx)},"toRed"),BN2.prototype.fromRed=__name(function(){return assert(this.red,"fromRed wor\
ks only with numbers in reduction context"),this.red.convertFrom(this)},"fromRed"),BN2.prototype._forceRed=__name(function(ctx){
return this.red=ctx,this},"_forceRed"),BN2.prototype.forceRed=__name(function(ctx){return assert(!this.red,"Already a nu\
mber in reduction context"),this._forceRed(ctx)},"forceRed"),BN2.prototype.redAdd=__name(function(num){return assert(this.
red,"redAdd works only with red numbers"),this.red.add(this,num)},"redAdd"),BN2.prototype.redIAdd=__name(function(num){return assert(
this.red,"redIAdd works only with red numbers"),this.red.iadd(this,num)},"redIAdd"),BN2.prototype.redSub=__name(function(num){
return assert(this.red,"redSub works only with red numbers"),this.red.sub(this,num)},"redSub"),BN2.prototype.redISub=__name(
function(num){return assert(this.red,"redISub works only with red numbers"),this.red.isub(this,num)},"redISub"),BN2.prototype.
redShl=__name(function(num){return assert(this.red,"redShl works only with red numbers"),this.red.shl(this,num)},"redShl"),
BN2.prototype.redMul=__name(function(num){return assert(this.red,"redMul works only with red numbers"),this.red._verify2(
this,num),this.red.mul(this,num)},"redMul"),BN2.prototype.redIMul=__name(function(num){return assert(this.red,"redMul wo\
rks only with red numbers"),this.red._verify2(this,num),this.red.imul(this,num)},"redIMul"),BN2.prototype.redSqr=__name(
function(){return assert(this.red,"redSqr works only with red numbers"),this.red._verify1(this),this.red.sqr(this)},"red\
Sqr"),BN2.prototype.redISqr=__name(function(){return assert(this.red,"redISqr works only with red numbers"),this.red._verify1(
this),this.red.isqr(this)},"redISqr"),BN2.prototype.redSqrt=__name(function(){return assert(this.red,"redSqrt works only\
 with red numbers"),this.red._verify1(this),this.red.sqrt(this)},"redSqrt"),BN2.prototype.redInvm=__name(function(){return assert(
this.red,"redInvm works only with red numbers"),this.red._verify1(this),this.red.invm(this)},"redInvm"),BN2.prototype.redNeg=
__name(function(){return assert(this.red,"redNeg works only with red numbers"),this.red._verify1(this),this.red.neg(this)},
"redNeg"),BN2.prototype.redPow=__name(function(num){return assert(this.red&&!num.red,"redPow(normalNum)"),this.red._verify1(
this),this.red.pow(this,num)},"redPow");var primes={k256:null,p224:null,p192:null,p25519:null};function MPrime(name,p){this.
name=name,this.p=new BN2(p,16),this.n=this.p.bitLength(),this.k=new BN2(1).iushln(this.n).isub(this.p),this.tmp=this._tmp()}
__name(MPrime,"MPrime"),MPrime.prototype._tmp=__name(function(){var tmp=new BN2(null);return tmp.words=new Array(Math.ceil(
this.n/13)),tmp},"_tmp"),MPrime.prototype.ireduce=__name(function(num){var r2=num,rlen;do this.split(r2,this.tmp),r2=this.
imulK(r2),r2=r2.iadd(this.tmp),rlen=r2.bitLength();while(rlen>this.n);var cmp=rlen<this.n?-1:r2.ucmp(this.p);return cmp===
0?(r2.words[0]=0,r2.length=1):cmp>0?r2.isub(this.p):r2.strip!==void 0?r2.strip():r2._strip(),r2},"ireduce"),MPrime.prototype.
split=__name(function(input,out){input.iushrn(this.n,0,out)},"split"),MPrime.prototype.imulK=__name(function(num){return num.
imul(this.k)},"imulK");function K256(){MPrime.call(this,"k256","ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff ff\
fffffe fffffc2f")}__name(K256,"K256"),inherits(K256,MPrime),K256.prototype.split=__name(function(input,output2){for(var mask=4194303,
outLen=Math.min(input.length,9),i=0;i<outLen;i++)output2.words[i]=input.words[i];if(output2.length=outLen,input.length<=
9){input.words[0]=0,input.length=1;return}var prev=input.words[9];for(output2.words[output2.length++]=prev&mask,i=10;i<input.
length;i++){var next=input.words[i]|0;input.words[i-10]=(next&mask)<<4|prev>>>22,prev=next}prev>>>=22,input.words[i-10]=
prev,prev===0&&input.length>10?input.length-=10:input.length-=9},"split"),K256.prototype.imulK=__name(function(num){num.
words[num.length]=0,num.words[num.length+1]=0,num.length+=2;for(var lo=0,i=0;i<num.length;i++){var w=num.words[i]|0;lo+=
w*977,num.words[i]=lo&67108863,lo=w*64+(lo/67108864|0)}return num.words[num.length-1]===0&&(num.length--,num.words[num.length-
1]===0&&num.length--),num},"imulK");function P224(){MPrime.call(this,"p224","ffffffff ffffffff ffffffff ffffffff 0000000\
0 00000000 00000001")}__name(P224,"P224"),inherits(P224,MPrime);function P192(){MPrime.call(this,"p192","ffffffff ffffff\
ff ffffffff fffffffe ffffffff ffffffff")}__name(P192,"P192"),inherits(P192,MPrime);function P25519(){MPrime.call(this,"2\
5519","7fffffffffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffed")}__name(P25519,"P25519"),inherits(P25519,MPrime),
P25519.prototype.imulK=__name(function(num){for(var carry=0,i=0;i<num.length;i++){var hi=(num.words[i]|0)*19+carry,lo=hi&
67108863;hi>>>=26,num.words[i]=lo,carry=hi}return carry!==0&&(num.words[num.length++]=carry),num},"imulK"),BN2._prime=__name(
function(name){if(primes[name])return primes[name];var prime2;if(name==="k256")prime2=new K256;else if(name==="p224")prime2=
new P224;else if(name==="p192")prime2=new P192;else if(name==="p25519")prime2=new P25519;else throw new Error("Unknown p\
rime "+name);return primes[name]=prime2,prime2},"prime");function Red(m){if(typeof m=="string"){var prime=BN2._prime(m);
this.m=prime.p,this.prime=prime}else assert(m.gtn(1),"modulus must be greater than 1"),this.m=m,this.prime=null}__name(Red,
"Red"),Red.prototype._verify1=__name(function(a){assert(a.negative===0,"red works only with positives"),assert(a.red,"re\
d works only with red numbers")},"_verify1"),Red.prototype._verify2=__name(function(a,b){assert((a.negative|b.negative)===
0,"red works only with positives"),assert(a.red&&a.red===b.red,"red works only with red numbers")},"_verify2"),Red.prototype.
imod=__name(function(a){return this.prime?this.prime.ireduce(a)._forceRed(this):(move(a,a.umod(this.m)._forceRed(this)),
a)},"imod"),Red.prototype.neg=__name(function(a){return a.isZero()?a.clone():this.m.sub(a)._forceRed(this)},"neg"),Red.prototype.
add=__name(function(a,b){this._verify2(a,b);var res=a.add(b);return res.cmp(this.m)>=0&&res.isub(this.m),res._forceRed(this)},
"add"),Red.prototype.iadd=__name(function(a,b){this._verify2(a,b);var res=a.iadd(b);return res.cmp(this.m)>=0&&res.isub(
this.m),res},"iadd"),Red.prototype.sub=__name(function(a,b){this._verify2(a,b);var res=a.sub(b);return res.cmpn(0)<0&&res.
iadd(this.m),res._forceRed(this)},"sub"),Red.prototype.isub=__name(function(a,b){this._verify2(a,b);var res=a.isub(b);return res.
cmpn(0)<0&&res.iadd(this.m),res},"isub"),Red.prototype.shl=__name(function(a,num){return this._verify1(a),this.imod(a.ushln(
num))},"shl"),Red.prototype.imul=__name(function(a,b){return this._verify2(a,b),this.imod(a.imul(b))},"imul"),Red.prototype.
mul=__name(function(a,b){return this._verify2(a,b),this.imod(a.mul(b))},"mul"),Red.prototype.isqr=__name(function(a){return this.
imul(a,a.clone())},"isqr"),Red.prototype.sqr=__name(function(a){return this.mul(a,a)},"sqr"),Red.prototype.sqrt=__name(function(a){
if(a.isZero())return a.clone();var mod3=this.m.andln(3);if(assert(mod3%2===1),mod3===3){var pow=this.m.add(new BN2(1)).iushrn(
2);return this.pow(a,pow)}for(var q=this.m.subn(1),s=0;!q.isZero()&&q.andln(1)===0;)s++,q.iushrn(1);assert(!q.isZero());
var one=new BN2(1).toRed(this),nOne=one.redNeg(),lpow=this.m.subn(1).iushrn(1),z=this.m.bitLength();for(z=new BN2(2*z*z).
toRed(this);this.pow(z,lpow).cmp(nOne)!==0;)z.redIAdd(nOne);for(var c=this.pow(z,q),r2=this.pow(a,q.addn(1).iushrn(1)),t=this.
pow(a,q),m=s;t.cmp(one)!==0;){for(var tmp=t,i=0;tmp.cmp(one)!==0;i++)tmp=tmp.redSqr();assert(i<m);var b=this.pow(c,new BN2(
1).iushln(m-i-1));r2=r2.redMul(b),c=b.redSqr(),t=t.redMul(c),m=i}return r2},"sqrt"),Red.prototype.invm=__name(function(a){
var inv=a._invmp(this.m);return inv.negative!==0?(inv.negative=0,this.imod(inv).redNeg()):this.imod(inv)},"invm"),Red.prototype.
pow=__name(function(a,num){if(num.isZero())return new BN2(1).toRed(this);if(num.cmpn(1)===0)return a.clone();var windowSize=4,
wnd=new Array(1<<windowSize);wnd[0]=new BN2(1).toRed(this),wnd[1]=a;for(var i=2;i<wnd.length;i++)wnd[i]=this.mul(wnd[i-1],
a);var res=wnd[0],current=0,currentLen=0,start=num.bitLength()%26;for(start===0&&(start=26),i=num.length-1;i>=0;i--){for(var word=num.
words[i],j=start-1;j>=0;j--){var bit=word>>j&1;if(res!==wnd[0]&&(res=this.sqr(res)),bit===0&&current===0){currentLen=0;continue}
current<<=1,current|=bit,currentLen++,!(currentLen!==windowSize&&(i!==0||j!==0))&&(res=this.mul(res,wnd[current]),currentLen=
0,current=0)}start=26}return res},"pow"),Red.prototype.convertTo=__name(function(num){var r2=num.umod(this.m);return r2===
num?r2.clone():r2},"convertTo"),Red.prototype.convertFrom=__name(function(num){var res=num.clone();return res.red=null,res},
"convertFrom"),BN2.mont=__name(function(num){return new Mont(num)},"mont");function Mont(m){Red.call(this,m),this.shift=
this.m.bitLength(),this.shift%26!==0&&(this.shift+=26-this.shift%26),this.r=new BN2(1).iushln(this.shift),this.r2=this.imod(
this.r.sqr()),this.rinv=this.r._invmp(this.m),this.minv=this.rinv.mul(this.r).isubn(1).div(this.m),this.minv=this.minv.umod(
this.r),this.minv=this.r.sub(this.minv)}__name(Mont,"Mont"),inherits(Mont,Red),Mont.prototype.convertTo=__name(function(num){
return this.imod(num.ushln(this.shift))},"convertTo"),Mont.prototype.convertFrom=__name(function(num){var r2=this.imod(num.
mul(this.rinv));return r2.red=null,r2},"convertFrom"),Mont.prototype.imul=__name(function(a,b){if(a.isZero()||b.isZero())
return a.words[0]=0,a.length=1,a;var t=a.imul(b),c=t.maskn(this.shift).mul(this.minv).imaskn(this.shift).mul(this.m),u=t.
isub(c).iushrn(this.shift),res=u;return u.cmp(this.m)>=0?res=u.isub(this.m):u.cmpn(0)<0&&(res=u.iadd(this.m)),res._forceRed(
this)},"imul"),Mont.prototype.mul=__name(function(a,b){if(a.isZero()||b.isZero())return new BN2(0)._forceRed(this);var t=a.
mul(b),c=t.maskn(this.shift).mul(this.minv).imaskn(this.shift).mul(this.m),u=t.isub(c).iushrn(this.shift),res=u;return u.
cmp(this.m)>=0?res=u.isub(this.m):u.cmpn(0)<0&&(res=u.iadd(this.m)),res._forceRed(this)},"mul"),Mont.prototype.invm=__name(
function(a){var res=this.imod(a._invmp(this.m).mul(this.r2));return res._forceRed(this)},"invm")})(typeof module>"u"||module,
exports)}});var version,init_version=__esm({"../../../node_modules/@ethersproject/logger/lib.esm/_version.js"(){version="logger/5.7.\
0"}});function _checkNormalize(){try{let missing=[];if(["NFD","NFC","NFKD","NFKC"].forEach(form=>{try{if("test".normalize(form)!==
"test")throw new Error("bad normalize")}catch{missing.push(form)}}),missing.length)throw new Error("missing "+missing.join(
", "));if("\xE9".normalize("NFD")!=="e\u0301")throw new Error("broken implementation")}catch(error){return error.message}
return null}var _permanentCensorErrors,_censorErrors,LogLevels,_logLevel,_globalLogger,_normalizeError,LogLevel,ErrorCode,
HEX,Logger,init_lib=__esm({"../../../node_modules/@ethersproject/logger/lib.esm/index.js"(){"use strict";init_version();
_permanentCensorErrors=!1,_censorErrors=!1,LogLevels={debug:1,default:2,info:2,warning:3,error:4,off:5},_logLevel=LogLevels.
default,_globalLogger=null;__name(_checkNormalize,"_checkNormalize");_normalizeError=_checkNormalize();(function(LogLevel2){
LogLevel2.DEBUG="DEBUG",LogLevel2.INFO="INFO",LogLevel2.WARNING="WARNING",LogLevel2.ERROR="ERROR",LogLevel2.OFF="OFF"})(
LogLevel||(LogLevel={}));(function(ErrorCode2){ErrorCode2.UNKNOWN_ERROR="UNKNOWN_ERROR",ErrorCode2.NOT_IMPLEMENTED="NOT_\
IMPLEMENTED",ErrorCode2.UNSUPPORTED_OPERATION="UNSUPPORTED_OPERATION",ErrorCode2.NETWORK_ERROR="NETWORK_ERROR",ErrorCode2.
SERVER_ERROR="SERVER_ERROR",ErrorCode2.TIMEOUT="TIMEOUT",ErrorCode2.BUFFER_OVERRUN="BUFFER_OVERRUN",ErrorCode2.NUMERIC_FAULT=
"NUMERIC_FAULT",ErrorCode2.MISSING_NEW="MISSING_NEW",ErrorCode2.INVALID_ARGUMENT="INVALID_ARGUMENT",ErrorCode2.MISSING_ARGUMENT=
"MISSING_ARGUMENT",ErrorCode2.UNEXPECTED_ARGUMENT="UNEXPECTED_ARGUMENT",ErrorCode2.CALL_EXCEPTION="CALL_EXCEPTION",ErrorCode2.
INSUFFICIENT_FUNDS="INSUFFICIENT_FUNDS",ErrorCode2.NONCE_EXPIRED="NONCE_EXPIRED",ErrorCode2.REPLACEMENT_UNDERPRICED="REP\
LACEMENT_UNDERPRICED",ErrorCode2.UNPREDICTABLE_GAS_LIMIT="UNPREDICTABLE_GAS_LIMIT",ErrorCode2.TRANSACTION_REPLACED="TRAN\
SACTION_REPLACED",ErrorCode2.ACTION_REJECTED="ACTION_REJECTED"})(ErrorCode||(ErrorCode={}));HEX="0123456789abcdef",Logger=
class _Logger{static{__name(this,"Logger")}constructor(version26){Object.defineProperty(this,"version",{enumerable:!0,value:version26,
writable:!1})}_log(logLevel,args){let level=logLevel.toLowerCase();LogLevels[level]==null&&this.throwArgumentError("inva\
lid log level name","logLevel",logLevel),!(_logLevel>LogLevels[level])&&console.log.apply(console,args)}debug(...args){this.
_log(_Logger.levels.DEBUG,args)}info(...args){this._log(_Logger.levels.INFO,args)}warn(...args){this._log(_Logger.levels.
WARNING,args)}makeError(message,code,params){if(_censorErrors)return this.makeError("censored error",code,{});code||(code=
_Logger.errors.UNKNOWN_ERROR),params||(params={});let messageDetails=[];Object.keys(params).forEach(key=>{let value=params[key];
try{if(value instanceof Uint8Array){let hex="";for(let i=0;i<value.length;i++)hex+=HEX[value[i]>>4],hex+=HEX[value[i]&15];
messageDetails.push(key+"=Uint8Array(0x"+hex+")")}else messageDetails.push(key+"="+JSON.stringify(value))}catch{messageDetails.
push(key+"="+JSON.stringify(params[key].toString()))}}),messageDetails.push(`code=${code}`),messageDetails.push(`version\
=${this.version}`);let reason=message,url="";switch(code){case ErrorCode.NUMERIC_FAULT:{url="NUMERIC_FAULT";let fault=message;
switch(fault){case"overflow":case"underflow":case"division-by-zero":url+="-"+fault;break;case"negative-power":case"negat\
ive-width":url+="-unsupported";break;case"unbound-bitwise-result":url+="-unbound-result";break}break}case ErrorCode.CALL_EXCEPTION:case ErrorCode.
INSUFFICIENT_FUNDS:case ErrorCode.MISSING_NEW:case ErrorCode.NONCE_EXPIRED:case ErrorCode.REPLACEMENT_UNDERPRICED:case ErrorCode.
TRANSACTION_REPLACED:case ErrorCode.UNPREDICTABLE_GAS_LIMIT:url=code;break}url&&(message+=" [ See: https://links.ethers.\
org/v5-errors-"+url+" ]"),messageDetails.length&&(message+=" ("+messageDetails.join(", ")+")");let error=new Error(message);
return error.reason=reason,error.code=code,Object.keys(params).forEach(function(key){error[key]=params[key]}),error}throwError(message,code,params){
throw this.makeError(message,code,params)}throwArgumentError(message,name,value){return this.throwError(message,_Logger.
errors.INVALID_ARGUMENT,{argument:name,value})}assert(condition,message,code,params){condition||this.throwError(message,
code,params)}assertArgument(condition,message,name,value){condition||this.throwArgumentError(message,name,value)}checkNormalize(message){
message==null&&(message="platform missing String.prototype.normalize"),_normalizeError&&this.throwError("platform missin\
g String.prototype.normalize",_Logger.errors.UNSUPPORTED_OPERATION,{operation:"String.prototype.normalize",form:_normalizeError})}checkSafeUint53(value,message){
typeof value=="number"&&(message==null&&(message="value not safe"),(value<0||value>=9007199254740991)&&this.throwError(message,
_Logger.errors.NUMERIC_FAULT,{operation:"checkSafeInteger",fault:"out-of-safe-range",value}),value%1&&this.throwError(message,
_Logger.errors.NUMERIC_FAULT,{operation:"checkSafeInteger",fault:"non-integer",value}))}checkArgumentCount(count2,expectedCount,message){
message?message=": "+message:message="",count2<expectedCount&&this.throwError("missing argument"+message,_Logger.errors.
MISSING_ARGUMENT,{count:count2,expectedCount}),count2>expectedCount&&this.throwError("too many arguments"+message,_Logger.
errors.UNEXPECTED_ARGUMENT,{count:count2,expectedCount})}checkNew(target,kind){(target===Object||target==null)&&this.throwError(
"missing new",_Logger.errors.MISSING_NEW,{name:kind.name})}checkAbstract(target,kind){target===kind?this.throwError("can\
not instantiate abstract class "+JSON.stringify(kind.name)+" directly; use a sub-class",_Logger.errors.UNSUPPORTED_OPERATION,
{name:target.name,operation:"new"}):(target===Object||target==null)&&this.throwError("missing new",_Logger.errors.MISSING_NEW,
{name:kind.name})}static globalLogger(){return _globalLogger||(_globalLogger=new _Logger(version)),_globalLogger}static setCensorship(censorship,permanent){
if(!censorship&&permanent&&this.globalLogger().throwError("cannot permanently disable censorship",_Logger.errors.UNSUPPORTED_OPERATION,
{operation:"setCensorship"}),_permanentCensorErrors){if(!censorship)return;this.globalLogger().throwError("error censors\
hip permanent",_Logger.errors.UNSUPPORTED_OPERATION,{operation:"setCensorship"})}_censorErrors=!!censorship,_permanentCensorErrors=
!!permanent}static setLogLevel(logLevel){let level=LogLevels[logLevel.toLowerCase()];if(level==null){_Logger.globalLogger().
warn("invalid log level - "+logLevel);return}_logLevel=level}static from(version26){return new _Logger(version26)}};Logger.
errors=ErrorCode;Logger.levels=LogLevel}});var version2,init_version2=__esm({"../../../node_modules/@ethersproject/bytes/lib.esm/_version.js"(){version2="bytes/5.7\
.0"}});function isHexable(value){return!!value.toHexString}function addSlice(array){return array.slice||(array.slice=function(){
let args=Array.prototype.slice.call(arguments);return addSlice(new Uint8Array(Array.prototype.slice.apply(array,args)))}),
array}function isBytesLike(value){return isHexString(value)&&!(value.length%2)||isBytes(value)}function isInteger(value){
return typeof value=="number"&&value==value&&value%1===0}function isBytes(value){if(value==null)return!1;if(value.constructor===
Uint8Array)return!0;if(typeof value=="string"||!isInteger(value.length)||value.length<0)return!1;for(let i=0;i<value.length;i++){
let v=value[i];if(!isInteger(v)||v<0||v>=256)return!1}return!0}function arrayify(value,options){if(options||(options={}),
typeof value=="number"){logger.checkSafeUint53(value,"invalid arrayify value");let result=[];for(;value;)result.unshift(
value&255),value=parseInt(String(value/256));return result.length===0&&result.push(0),addSlice(new Uint8Array(result))}if(options.
allowMissingPrefix&&typeof value=="string"&&value.substring(0,2)!=="0x"&&(value="0x"+value),isHexable(value)&&(value=value.
toHexString()),isHexString(value)){let hex=value.substring(2);hex.length%2&&(options.hexPad==="left"?hex="0"+hex:options.
hexPad==="right"?hex+="0":logger.throwArgumentError("hex data is odd-length","value",value));let result=[];for(let i=0;i<
hex.length;i+=2)result.push(parseInt(hex.substring(i,i+2),16));return addSlice(new Uint8Array(result))}return isBytes(value)?
addSlice(new Uint8Array(value)):logger.throwArgumentError("invalid arrayify value","value",value)}function concat(items){
let objects=items.map(item=>arrayify(item)),length=objects.reduce((accum,item)=>accum+item.length,0),result=new Uint8Array(
length);return objects.reduce((offset,object)=>(result.set(object,offset),offset+object.length),0),addSlice(result)}function stripZeros(value){
let result=arrayify(value);if(result.length===0)return result;let start=0;for(;start<result.length&&result[start]===0;)start++;
return start&&(result=result.slice(start)),result}function zeroPad(value,length){value=arrayify(value),value.length>length&&
logger.throwArgumentError("value out of range","value",arguments[0]);let result=new Uint8Array(length);return result.set(
value,length-value.length),addSlice(result)}function isHexString(value,length){return!(typeof value!="string"||!value.match(
/^0x[0-9A-Fa-f]*$/)||length&&value.length!==2+2*length)}function hexlify(value,options){if(options||(options={}),typeof value==
"number"){logger.checkSafeUint53(value,"invalid hexlify value");let hex="";for(;value;)hex=HexCharacters[value&15]+hex,value=
Math.floor(value/16);return hex.length?(hex.length%2&&(hex="0"+hex),"0x"+hex):"0x00"}if(typeof value=="bigint")return value=
value.toString(16),value.length%2?"0x0"+value:"0x"+value;if(options.allowMissingPrefix&&typeof value=="string"&&value.substring(
0,2)!=="0x"&&(value="0x"+value),isHexable(value))return value.toHexString();if(isHexString(value))return value.length%2&&
(options.hexPad==="left"?value="0x0"+value.substring(2):options.hexPad==="right"?value+="0":logger.throwArgumentError("h\
ex data is odd-length","value",value)),value.toLowerCase();if(isBytes(value)){let result="0x";for(let i=0;i<value.length;i++){
let v=value[i];result+=HexCharacters[(v&240)>>4]+HexCharacters[v&15]}return result}return logger.throwArgumentError("inv\
alid hexlify value","value",value)}function hexDataLength(data){if(typeof data!="string")data=hexlify(data);else if(!isHexString(
data)||data.length%2)return null;return(data.length-2)/2}function hexDataSlice(data,offset,endOffset){return typeof data!=
"string"?data=hexlify(data):(!isHexString(data)||data.length%2)&&logger.throwArgumentError("invalid hexData","value",data),
offset=2+2*offset,endOffset!=null?"0x"+data.substring(offset,2+2*endOffset):"0x"+data.substring(offset)}function hexConcat(items){
let result="0x";return items.forEach(item=>{result+=hexlify(item).substring(2)}),result}function hexValue(value){let trimmed=hexStripZeros(
hexlify(value,{hexPad:"left"}));return trimmed==="0x"?"0x0":trimmed}function hexStripZeros(value){typeof value!="string"&&
(value=hexlify(value)),isHexString(value)||logger.throwArgumentError("invalid hex string","value",value),value=value.substring(
2);let offset=0;for(;offset<value.length&&value[offset]==="0";)offset++;return"0x"+value.substring(offset)}function hexZeroPad(value,length){
for(typeof value!="string"?value=hexlify(value):isHexString(value)||logger.throwArgumentError("invalid hex string","valu\
e",value),value.length>2*length+2&&logger.throwArgumentError("value out of range","value",arguments[1]);value.length<2*length+
2;)value="0x0"+value.substring(2);return value}function splitSignature(signature){let result={r:"0x",s:"0x",_vs:"0x",recoveryParam:0,
v:0,yParityAndS:"0x",compact:"0x"};if(isBytesLike(signature)){let bytes3=arrayify(signature);bytes3.length===64?(result.
v=27+(bytes3[32]>>7),bytes3[32]&=127,result.r=hexlify(bytes3.slice(0,32)),result.s=hexlify(bytes3.slice(32,64))):bytes3.
length===65?(result.r=hexlify(bytes3.slice(0,32)),result.s=hexlify(bytes3.slice(32,64)),result.v=bytes3[64]):logger.throwArgumentError(
"invalid signature string","signature",signature),result.v<27&&(result.v===0||result.v===1?result.v+=27:logger.throwArgumentError(
"signature invalid v byte","signature",signature)),result.recoveryParam=1-result.v%2,result.recoveryParam&&(bytes3[32]|=
128),result._vs=hexlify(bytes3.slice(32,64))}else{if(result.r=signature.r,result.s=signature.s,result.v=signature.v,result.
recoveryParam=signature.recoveryParam,result._vs=signature._vs,result._vs!=null){let vs2=zeroPad(arrayify(result._vs),32);
result._vs=hexlify(vs2);let recoveryParam=vs2[0]>=128?1:0;result.recoveryParam==null?result.recoveryParam=recoveryParam:
result.recoveryParam!==recoveryParam&&logger.throwArgumentError("signature recoveryParam mismatch _vs","signature",signature),
vs2[0]&=127;let s=hexlify(vs2);result.s==null?result.s=s:result.s!==s&&logger.throwArgumentError("signature v mismatch _\
vs","signature",signature)}if(result.recoveryParam==null)result.v==null?logger.throwArgumentError("signature missing v a\
nd recoveryParam","signature",signature):result.v===0||result.v===1?result.recoveryParam=result.v:result.recoveryParam=1-
result.v%2;else if(result.v==null)result.v=27+result.recoveryParam;else{let recId=result.v===0||result.v===1?result.v:1-
result.v%2;result.recoveryParam!==recId&&logger.throwArgumentError("signature recoveryParam mismatch v","signature",signature)}
result.r==null||!isHexString(result.r)?logger.throwArgumentError("signature missing or invalid r","signature",signature):
result.r=hexZeroPad(result.r,32),result.s==null||!isHexString(result.s)?logger.throwArgumentError("signature missing or \
invalid s","signature",signature):result.s=hexZeroPad(result.s,32);let vs=arrayify(result.s);vs[0]>=128&&logger.throwArgumentError(
"signature s out of range","signature",signature),result.recoveryParam&&(vs[0]|=128);let _vs=hexlify(vs);result._vs&&(isHexString(
result._vs)||logger.throwArgumentError("signature invalid _vs","signature",signature),result._vs=hexZeroPad(result._vs,32)),
result._vs==null?result._vs=_vs:result._vs!==_vs&&logger.throwArgumentError("signature _vs mismatch v and s","signature",
signature)}return result.yParityAndS=result._vs,result.compact=result.r+result.yParityAndS.substring(2),result}function joinSignature(signature){
return signature=splitSignature(signature),hexlify(concat([signature.r,signature.s,signature.recoveryParam?"0x1c":"0x1b"]))}
var logger,HexCharacters,init_lib2=__esm({"../../../node_modules/@ethersproject/bytes/lib.esm/index.js"(){"use strict";init_lib();
init_version2();logger=new Logger(version2);__name(isHexable,"isHexable");__name(addSlice,"addSlice");__name(isBytesLike,
"isBytesLike");__name(isInteger,"isInteger");__name(isBytes,"isBytes");__name(arrayify,"arrayify");__name(concat,"concat");
__name(stripZeros,"stripZeros");__name(zeroPad,"zeroPad");__name(isHexString,"isHexString");HexCharacters="0123456789abc\
def";__name(hexlify,"hexlify");__name(hexDataLength,"hexDataLength");__name(hexDataSlice,"hexDataSlice");__name(hexConcat,
"hexConcat");__name(hexValue,"hexValue");__name(hexStripZeros,"hexStripZeros");__name(hexZeroPad,"hexZeroPad");__name(splitSignature,
"splitSignature");__name(joinSignature,"joinSignature")}});var publicKey,signRecoverable,parsePoint,addPoints,multiplyPoint,isSafeInteger,HASHES,hashName,count,certain,recover,keccak256,
digest,hmac,pbkdf2,uncurry,toHex,fromHex,init_natives=__esm({"shims/natives.js"(){({publicKey,signRecoverable,parsePoint,
addPoints,multiplyPoint}=natives),{isSafeInteger}=Number,HASHES=Object.freeze({__proto__:null,sha256:"sha256",sha512:"sh\
a512"}),hashName=__name(name=>{if(typeof name!="string"||HASHES[name]===void 0)throw new TypeError("no such hash");return HASHES[name]},
"hashName"),count=__name(value=>{if(!isSafeInteger(value)||value<0)throw new TypeError("a count is a whole number");return`${value}`},
"count"),certain=__name(answer=>{if(answer==="")throw new Error("the hash could not be computed");return answer},"certai\
n"),recover=__name((digest2,compact,recovery)=>natives.recover(digest2,compact,count(recovery)),"recover"),keccak256=__name(
data=>certain(natives.keccak256(data)),"keccak256"),digest=__name((name,data)=>certain(natives.digest(hashName(name),data)),
"digest"),hmac=__name((name,key,data)=>certain(natives.hmac(hashName(name),key,data)),"hmac"),pbkdf2=__name((name,password,salt,iterations,length)=>certain(
natives.pbkdf2(hashName(name),password,salt,count(iterations),count(length))),"pbkdf2"),uncurry=Function.prototype.bind.
bind(Function.prototype.call),toHex=uncurry(Uint8Array.prototype.toHex),fromHex=Uint8Array.fromHex.bind(Uint8Array)}});function arrayify2(value,options){return typeof value=="string"&&value.length%2===0&&HEX2.test(value)?fromHex(value.slice(
2)):arrayify(value,options)}function hexlify2(value,options){return value instanceof Uint8Array?`0x${toHex(value)}`:hexlify(
value,options)}var HEX2,init_ethersproject_bytes=__esm({"shims/ethersproject_bytes.js"(){init_lib2();init_natives();init_lib2();
HEX2=/^0x[0-9A-Fa-f]*$/;__name(arrayify2,"arrayify");__name(hexlify2,"hexlify")}});var version3,init_version3=__esm({"../../../node_modules/@ethersproject/bignumber/lib.esm/_version.js"(){version3="bignu\
mber/5.7.0"}});function isBigNumberish(value){return value!=null&&(BigNumber.isBigNumber(value)||typeof value=="number"&&value%1===0||typeof value==
"string"&&!!value.match(/^-?[0-9]+$/)||isHexString(value)||typeof value=="bigint"||isBytes(value))}function toHex2(value){
if(typeof value!="string")return toHex2(value.toString(16));if(value[0]==="-")return value=value.substring(1),value[0]===
"-"&&logger2.throwArgumentError("invalid hex","value",value),value=toHex2(value),value==="0x00"?value:"-"+value;if(value.
substring(0,2)!=="0x"&&(value="0x"+value),value==="0x")return"0x00";for(value.length%2&&(value="0x0"+value.substring(2));value.
length>4&&value.substring(0,4)==="0x00";)value="0x"+value.substring(4);return value}function toBigNumber(value){return BigNumber.
from(toHex2(value))}function toBN(value){let hex=BigNumber.from(value).toHexString();return hex[0]==="-"?new BN("-"+hex.
substring(3),16):new BN(hex.substring(2),16)}function throwFault(fault,operation,value){let params={fault,operation};return value!=
null&&(params.value=value),logger2.throwError(fault,Logger.errors.NUMERIC_FAULT,params)}function _base36To16(value){return new BN(
value,36).toString(16)}function _base16To36(value){return new BN(value,16).toString(36)}var import_bn,BN,logger2,_constructorGuard,
MAX_SAFE,_warnedToStringRadix,BigNumber,init_bignumber=__esm({"../../../node_modules/@ethersproject/bignumber/lib.esm/bi\
gnumber.js"(){"use strict";import_bn=__toESM(require_bn());init_ethersproject_bytes();init_lib();init_version3();BN=import_bn.default.
BN,logger2=new Logger(version3),_constructorGuard={},MAX_SAFE=9007199254740991;__name(isBigNumberish,"isBigNumberish");_warnedToStringRadix=
!1,BigNumber=class _BigNumber{static{__name(this,"BigNumber")}constructor(constructorGuard,hex){constructorGuard!==_constructorGuard&&
logger2.throwError("cannot call constructor directly; use BigNumber.from",Logger.errors.UNSUPPORTED_OPERATION,{operation:"\
new (BigNumber)"}),this._hex=hex,this._isBigNumber=!0,Object.freeze(this)}fromTwos(value){return toBigNumber(toBN(this).
fromTwos(value))}toTwos(value){return toBigNumber(toBN(this).toTwos(value))}abs(){return this._hex[0]==="-"?_BigNumber.from(
this._hex.substring(1)):this}add(other){return toBigNumber(toBN(this).add(toBN(other)))}sub(other){return toBigNumber(toBN(
this).sub(toBN(other)))}div(other){return _BigNumber.from(other).isZero()&&throwFault("division-by-zero","div"),toBigNumber(
toBN(this).div(toBN(other)))}mul(other){return toBigNumber(toBN(this).mul(toBN(other)))}mod(other){let value=toBN(other);
return value.isNeg()&&throwFault("division-by-zero","mod"),toBigNumber(toBN(this).umod(value))}pow(other){let value=toBN(
other);return value.isNeg()&&throwFault("negative-power","pow"),toBigNumber(toBN(this).pow(value))}and(other){let value=toBN(
other);return(this.isNegative()||value.isNeg())&&throwFault("unbound-bitwise-result","and"),toBigNumber(toBN(this).and(value))}or(other){
let value=toBN(other);return(this.isNegative()||value.isNeg())&&throwFault("unbound-bitwise-result","or"),toBigNumber(toBN(
this).or(value))}xor(other){let value=toBN(other);return(this.isNegative()||value.isNeg())&&throwFault("unbound-bitwise-\
result","xor"),toBigNumber(toBN(this).xor(value))}mask(value){return(this.isNegative()||value<0)&&throwFault("negative-w\
idth","mask"),toBigNumber(toBN(this).maskn(value))}shl(value){return(this.isNegative()||value<0)&&throwFault("negative-w\
idth","shl"),toBigNumber(toBN(this).shln(value))}shr(value){return(this.isNegative()||value<0)&&throwFault("negative-wid\
th","shr"),toBigNumber(toBN(this).shrn(value))}eq(other){return toBN(this).eq(toBN(other))}lt(other){return toBN(this).lt(
toBN(other))}lte(other){return toBN(this).lte(toBN(other))}gt(other){return toBN(this).gt(toBN(other))}gte(other){return toBN(
this).gte(toBN(other))}isNegative(){return this._hex[0]==="-"}isZero(){return toBN(this).isZero()}toNumber(){try{return toBN(
this).toNumber()}catch{throwFault("overflow","toNumber",this.toString())}return null}toBigInt(){try{return BigInt(this.toString())}catch{}
return logger2.throwError("this platform does not support BigInt",Logger.errors.UNSUPPORTED_OPERATION,{value:this.toString()})}toString(){
return arguments.length>0&&(arguments[0]===10?_warnedToStringRadix||(_warnedToStringRadix=!0,logger2.warn("BigNumber.toS\
tring does not accept any parameters; base-10 is assumed")):arguments[0]===16?logger2.throwError("BigNumber.toString doe\
s not accept any parameters; use bigNumber.toHexString()",Logger.errors.UNEXPECTED_ARGUMENT,{}):logger2.throwError("BigN\
umber.toString does not accept parameters",Logger.errors.UNEXPECTED_ARGUMENT,{})),toBN(this).toString(10)}toHexString(){
return this._hex}toJSON(key){return{type:"BigNumber",hex:this.toHexString()}}static from(value){if(value instanceof _BigNumber)
return value;if(typeof value=="string")return value.match(/^-?0x[0-9a-f]+$/i)?new _BigNumber(_constructorGuard,toHex2(value)):
value.match(/^-?[0-9]+$/)?new _BigNumber(_constructorGuard,toHex2(new BN(value))):logger2.throwArgumentError("invalid Bi\
gNumber string","value",value);if(typeof value=="number")return value%1&&throwFault("underflow","BigNumber.from",value),
(value>=MAX_SAFE||value<=-MAX_SAFE)&&throwFault("overflow","BigNumber.from",value),_BigNumber.from(String(value));let anyValue=value;
if(typeof anyValue=="bigint")return _BigNumber.from(anyValue.toString());if(isBytes(anyValue))return _BigNumber.from(hexlify2(
anyValue));if(anyValue)if(anyValue.toHexString){let hex=anyValue.toHexString();if(typeof hex=="string")return _BigNumber.
from(hex)}else{let hex=anyValue._hex;if(hex==null&&anyValue.type==="BigNumber"&&(hex=anyValue.hex),typeof hex=="string"&&
(isHexString(hex)||hex[0]==="-"&&isHexString(hex.substring(1))))return _BigNumber.from(hex)}return logger2.throwArgumentError(
"invalid BigNumber value","value",value)}static isBigNumber(value){return!!(value&&value._isBigNumber)}};__name(toHex2,"\
toHex");__name(toBigNumber,"toBigNumber");__name(toBN,"toBN");__name(throwFault,"throwFault");__name(_base36To16,"_base3\
6To16");__name(_base16To36,"_base16To36")}});function throwFault2(message,fault,operation,value){let params={fault,operation};return value!==void 0&&(params.value=value),
logger3.throwError(message,Logger.errors.NUMERIC_FAULT,params)}function getMultiplier(decimals){if(typeof decimals!="num\
ber")try{decimals=BigNumber.from(decimals).toNumber()}catch{}return typeof decimals=="number"&&decimals>=0&&decimals<=256&&
!(decimals%1)?"1"+zeros.substring(0,decimals):logger3.throwArgumentError("invalid decimal size","decimals",decimals)}function formatFixed(value,decimals){
decimals==null&&(decimals=0);let multiplier=getMultiplier(decimals);value=BigNumber.from(value);let negative=value.lt(Zero);
negative&&(value=value.mul(NegativeOne));let fraction=value.mod(multiplier).toString();for(;fraction.length<multiplier.length-
1;)fraction="0"+fraction;fraction=fraction.match(/^([0-9]*[1-9]|0)(0*)/)[1];let whole=value.div(multiplier).toString();return multiplier.
length===1?value=whole:value=whole+"."+fraction,negative&&(value="-"+value),value}function parseFixed(value,decimals){decimals==
null&&(decimals=0);let multiplier=getMultiplier(decimals);(typeof value!="string"||!value.match(/^-?[0-9.]+$/))&&logger3.
throwArgumentError("invalid decimal value","value",value);let negative=value.substring(0,1)==="-";negative&&(value=value.
substring(1)),value==="."&&logger3.throwArgumentError("missing value","value",value);let comps=value.split(".");comps.length>
2&&logger3.throwArgumentError("too many decimal points","value",value);let whole=comps[0],fraction=comps[1];for(whole||(whole=
"0"),fraction||(fraction="0");fraction[fraction.length-1]==="0";)fraction=fraction.substring(0,fraction.length-1);for(fraction.
length>multiplier.length-1&&throwFault2("fractional component exceeds decimals","underflow","parseFixed"),fraction===""&&
(fraction="0");fraction.length<multiplier.length-1;)fraction+="0";let wholeValue=BigNumber.from(whole),fractionValue=BigNumber.
from(fraction),wei=wholeValue.mul(multiplier).add(fractionValue);return negative&&(wei=wei.mul(NegativeOne)),wei}var logger3,
_constructorGuard2,Zero,NegativeOne,zeros,FixedFormat,FixedNumber,ONE,BUMP,init_fixednumber=__esm({"../../../node_module\
s/@ethersproject/bignumber/lib.esm/fixednumber.js"(){"use strict";init_ethersproject_bytes();init_lib();init_version3();
init_bignumber();logger3=new Logger(version3),_constructorGuard2={},Zero=BigNumber.from(0),NegativeOne=BigNumber.from(-1);
__name(throwFault2,"throwFault");zeros="0";for(;zeros.length<256;)zeros+=zeros;__name(getMultiplier,"getMultiplier");__name(
formatFixed,"formatFixed");__name(parseFixed,"parseFixed");FixedFormat=class _FixedFormat{static{__name(this,"FixedForma\
t")}constructor(constructorGuard,signed2,width,decimals){constructorGuard!==_constructorGuard2&&logger3.throwError("cann\
ot use FixedFormat constructor; use FixedFormat.from",Logger.errors.UNSUPPORTED_OPERATION,{operation:"new FixedFormat"}),
this.signed=signed2,this.width=width,this.decimals=decimals,this.name=(signed2?"":"u")+"fixed"+String(width)+"x"+String(
decimals),this._multiplier=getMultiplier(decimals),Object.freeze(this)}static from(value){if(value instanceof _FixedFormat)
return value;typeof value=="number"&&(value=`fixed128x${value}`);let signed2=!0,width=128,decimals=18;if(typeof value=="\
string"){if(value!=="fixed")if(value==="ufixed")signed2=!1;else{let match=value.match(/^(u?)fixed([0-9]+)x([0-9]+)$/);match||
logger3.throwArgumentError("invalid fixed format","format",value),signed2=match[1]!=="u",width=parseInt(match[2]),decimals=
parseInt(match[3])}}else if(value){let check=__name((key,type,defaultValue)=>value[key]==null?defaultValue:(typeof value[key]!==
type&&logger3.throwArgumentError("invalid fixed format ("+key+" not "+type+")","format."+key,value[key]),value[key]),"ch\
eck");signed2=check("signed","boolean",signed2),width=check("width","number",width),decimals=check("decimals","number",decimals)}
return width%8&&logger3.throwArgumentError("invalid fixed format width (not byte aligned)","format.width",width),decimals>
80&&logger3.throwArgumentError("invalid fixed format (decimals too large)","format.decimals",decimals),new _FixedFormat(
_constructorGuard2,signed2,width,decimals)}},FixedNumber=class _FixedNumber{static{__name(this,"FixedNumber")}constructor(constructorGuard,hex,value,format){
constructorGuard!==_constructorGuard2&&logger3.throwError("cannot use FixedNumber constructor; use FixedNumber.from",Logger.
errors.UNSUPPORTED_OPERATION,{operation:"new FixedFormat"}),this.format=format,this._hex=hex,this._value=value,this._isFixedNumber=
!0,Object.freeze(this)}_checkFormat(other){this.format.name!==other.format.name&&logger3.throwArgumentError("incompatibl\
e format; use fixedNumber.toFormat","other",other)}addUnsafe(other){this._checkFormat(other);let a=parseFixed(this._value,
this.format.decimals),b=parseFixed(other._value,other.format.decimals);return _FixedNumber.fromValue(a.add(b),this.format.
decimals,this.format)}subUnsafe(other){this._checkFormat(other);let a=parseFixed(this._value,this.format.decimals),b=parseFixed(
other._value,other.format.decimals);return _FixedNumber.fromValue(a.sub(b),this.format.decimals,this.format)}mulUnsafe(other){
this._checkFormat(other);let a=parseFixed(this._value,this.format.decimals),b=parseFixed(other._value,other.format.decimals);
return _FixedNumber.fromValue(a.mul(b).div(this.format._multiplier),this.format.decimals,this.format)}divUnsafe(other){this.
_checkFormat(other);let a=parseFixed(this._value,this.format.decimals),b=parseFixed(other._value,other.format.decimals);
return _FixedNumber.fromValue(a.mul(this.format._multiplier).div(b),this.format.decimals,this.format)}floor(){let comps=this.
toString().split(".");comps.length===1&&comps.push("0");let result=_FixedNumber.from(comps[0],this.format),hasFraction=!comps[1].
match(/^(0*)$/);return this.isNegative()&&hasFraction&&(result=result.subUnsafe(ONE.toFormat(result.format))),result}ceiling(){
let comps=this.toString().split(".");comps.length===1&&comps.push("0");let result=_FixedNumber.from(comps[0],this.format),
hasFraction=!comps[1].match(/^(0*)$/);return!this.isNegative()&&hasFraction&&(result=result.addUnsafe(ONE.toFormat(result.
format))),result}round(decimals){decimals==null&&(decimals=0);let comps=this.toString().split(".");if(comps.length===1&&
comps.push("0"),(decimals<0||decimals>80||decimals%1)&&logger3.throwArgumentError("invalid decimal count","decimals",decimals),
comps[1].length<=decimals)return this;let factor=_FixedNumber.from("1"+zeros.substring(0,decimals),this.format),bump=BUMP.
toFormat(this.format);return this.mulUnsafe(factor).addUnsafe(bump).floor().divUnsafe(factor)}isZero(){return this._value===
"0.0"||this._value==="0"}isNegative(){return this._value[0]==="-"}toString(){return this._value}toHexString(width){if(width==
null)return this._hex;width%8&&logger3.throwArgumentError("invalid byte width","width",width);let hex=BigNumber.from(this.
_hex).fromTwos(this.format.width).toTwos(width).toHexString();return hexZeroPad(hex,width/8)}toUnsafeFloat(){return parseFloat(
this.toString())}toFormat(format){return _FixedNumber.fromString(this._value,format)}static fromValue(value,decimals,format){
return format==null&&decimals!=null&&!isBigNumberish(decimals)&&(format=decimals,decimals=null),decimals==null&&(decimals=
0),format==null&&(format="fixed"),_FixedNumber.fromString(formatFixed(value,decimals),FixedFormat.from(format))}static fromString(value,format){
format==null&&(format="fixed");let fixedFormat=FixedFormat.from(format),numeric=parseFixed(value,fixedFormat.decimals);!fixedFormat.
signed&&numeric.lt(Zero)&&throwFault2("unsigned value cannot be negative","overflow","value",value);let hex=null;fixedFormat.
signed?hex=numeric.toTwos(fixedFormat.width).toHexString():(hex=numeric.toHexString(),hex=hexZeroPad(hex,fixedFormat.width/
8));let decimal=formatFixed(numeric,fixedFormat.decimals);return new _FixedNumber(_constructorGuard2,hex,decimal,fixedFormat)}static fromBytes(value,format){
format==null&&(format="fixed");let fixedFormat=FixedFormat.from(format);if(arrayify2(value).length>fixedFormat.width/8)throw new Error(
"overflow");let numeric=BigNumber.from(value);fixedFormat.signed&&(numeric=numeric.fromTwos(fixedFormat.width));let hex=numeric.
toTwos((fixedFormat.signed?0:1)+fixedFormat.width).toHexString(),decimal=formatFixed(numeric,fixedFormat.decimals);return new _FixedNumber(
_constructorGuard2,hex,decimal,fixedFormat)}static from(value,format){if(typeof value=="string")return _FixedNumber.fromString(
value,format);if(isBytes(value))return _FixedNumber.fromBytes(value,format);try{return _FixedNumber.fromValue(value,0,format)}catch(error){
if(error.code!==Logger.errors.INVALID_ARGUMENT)throw error}return logger3.throwArgumentError("invalid FixedNumber value",
"value",value)}static isFixedNumber(value){return!!(value&&value._isFixedNumber)}},ONE=FixedNumber.from(1),BUMP=FixedNumber.
from("0.5")}});var init_lib3=__esm({"../../../node_modules/@ethersproject/bignumber/lib.esm/index.js"(){init_bignumber();init_fixednumber();
init_bignumber()}});var js_sha3_default,init_js_sha3=__esm({"shims/js_sha3.js"(){init_natives();js_sha3_default={keccak_256:__name(bytes3=>keccak256(
toHex(bytes3)),"keccak_256")}}});function keccak2562(data){return"0x"+js_sha3_default.keccak_256(arrayify2(data))}var init_lib4=__esm({"../../../node_mod\
ules/@ethersproject/keccak256/lib.esm/index.js"(){"use strict";init_js_sha3();init_ethersproject_bytes();__name(keccak2562,
"keccak256")}});var AddressZero,init_addresses=__esm({"../../../node_modules/@ethersproject/constants/lib.esm/addresses.js"(){AddressZero=
"0x0000000000000000000000000000000000000000"}});var NegativeOne2,Zero2,One,Two,WeiPerEther,MaxUint256,MinInt256,MaxInt256,init_bignumbers=__esm({"../../../node_modules/\
@ethersproject/constants/lib.esm/bignumbers.js"(){init_lib3();NegativeOne2=BigNumber.from(-1),Zero2=BigNumber.from(0),One=
BigNumber.from(1),Two=BigNumber.from(2),WeiPerEther=BigNumber.from("1000000000000000000"),MaxUint256=BigNumber.from("0xf\
fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),MinInt256=BigNumber.from("-0x8000000000000000000000000\
000000000000000000000000000000000000000"),MaxInt256=BigNumber.from("0x7fffffffffffffffffffffffffffffffffffffffffffffffff\
ffffffffffffff")}});var HashZero,init_hashes=__esm({"../../../node_modules/@ethersproject/constants/lib.esm/hashes.js"(){HashZero="0x0000000\
000000000000000000000000000000000000000000000000000000000"}});var EtherSymbol,init_strings=__esm({"../../../node_modules/@ethersproject/constants/lib.esm/strings.js"(){EtherSymbol="\u039E"}});var lib_exports2={};__export(lib_exports2,{AddressZero:()=>AddressZero,EtherSymbol:()=>EtherSymbol,HashZero:()=>HashZero,
MaxInt256:()=>MaxInt256,MaxUint256:()=>MaxUint256,MinInt256:()=>MinInt256,NegativeOne:()=>NegativeOne2,One:()=>One,Two:()=>Two,
WeiPerEther:()=>WeiPerEther,Zero:()=>Zero2});var init_lib5=__esm({"../../../node_modules/@ethersproject/constants/lib.es\
m/index.js"(){"use strict";init_addresses();init_bignumbers();init_hashes();init_strings()}});var version8,init_version4=__esm({"../../../node_modules/@ethersproject/strings/lib.esm/_version.js"(){version8="strings\
/5.7.0"}});function errorFunc(reason,offset,bytes3,output2,badCodepoint){return logger10.throwArgumentError(`invalid codepoint at o\
ffset ${offset}; ${reason}`,"bytes",bytes3)}function ignoreFunc(reason,offset,bytes3,output2,badCodepoint){if(reason===Utf8ErrorReason.
BAD_PREFIX||reason===Utf8ErrorReason.UNEXPECTED_CONTINUE){let i=0;for(let o=offset+1;o<bytes3.length&&bytes3[o]>>6===2;o++)
i++;return i}return reason===Utf8ErrorReason.OVERRUN?bytes3.length-offset-1:0}function replaceFunc(reason,offset,bytes3,output2,badCodepoint){
return reason===Utf8ErrorReason.OVERLONG?(output2.push(badCodepoint),0):(output2.push(65533),ignoreFunc(reason,offset,bytes3,
output2,badCodepoint))}function getUtf8CodePoints(bytes3,onError){onError==null&&(onError=Utf8ErrorFuncs.error),bytes3=arrayify2(
bytes3);let result=[],i=0;for(;i<bytes3.length;){let c=bytes3[i++];if(c>>7===0){result.push(c);continue}let extraLength=null,
overlongMask=null;if((c&224)===192)extraLength=1,overlongMask=127;else if((c&240)===224)extraLength=2,overlongMask=2047;else if((c&
248)===240)extraLength=3,overlongMask=65535;else{(c&192)===128?i+=onError(Utf8ErrorReason.UNEXPECTED_CONTINUE,i-1,bytes3,
result):i+=onError(Utf8ErrorReason.BAD_PREFIX,i-1,bytes3,result);continue}if(i-1+extraLength>=bytes3.length){i+=onError(
Utf8ErrorReason.OVERRUN,i-1,bytes3,result);continue}let res=c&(1<<8-extraLength-1)-1;for(let j=0;j<extraLength;j++){let nextChar=bytes3[i];
if((nextChar&192)!=128){i+=onError(Utf8ErrorReason.MISSING_CONTINUE,i,bytes3,result),res=null;break}res=res<<6|nextChar&
63,i++}if(res!==null){if(res>1114111){i+=onError(Utf8ErrorReason.OUT_OF_RANGE,i-1-extraLength,bytes3,result,res);continue}
if(res>=55296&&res<=57343){i+=onError(Utf8ErrorReason.UTF16_SURROGATE,i-1-extraLength,bytes3,result,res);continue}if(res<=
overlongMask){i+=onError(Utf8ErrorReason.OVERLONG,i-1-extraLength,bytes3,result,res);continue}result.push(res)}}return result}
function toUtf8Bytes(str,form=UnicodeNormalizationForm.current){form!=UnicodeNormalizationForm.current&&(logger10.checkNormalize(),
str=str.normalize(form));let result=[];for(let i=0;i<str.length;i++){let c=str.charCodeAt(i);if(c<128)result.push(c);else if(c<
2048)result.push(c>>6|192),result.push(c&63|128);else if((c&64512)==55296){i++;let c2=str.charCodeAt(i);if(i>=str.length||
(c2&64512)!==56320)throw new Error("invalid utf-8 string");let pair=65536+((c&1023)<<10)+(c2&1023);result.push(pair>>18|
240),result.push(pair>>12&63|128),result.push(pair>>6&63|128),result.push(pair&63|128)}else result.push(c>>12|224),result.
push(c>>6&63|128),result.push(c&63|128)}return arrayify2(result)}function escapeChar(value){let hex="0000"+value.toString(
16);return"\\u"+hex.substring(hex.length-4)}function _toEscapedUtf8String(bytes3,onError){return'"'+getUtf8CodePoints(bytes3,
onError).map(codePoint=>{if(codePoint<256){switch(codePoint){case 8:return"\\b";case 9:return"\\t";case 10:return"\\n";case 13:
return"\\r";case 34:return'\\"';case 92:return"\\\\"}if(codePoint>=32&&codePoint<127)return String.fromCharCode(codePoint)}
return codePoint<=65535?escapeChar(codePoint):(codePoint-=65536,escapeChar((codePoint>>10&1023)+55296)+escapeChar((codePoint&
1023)+56320))}).join("")+'"'}function _toUtf8String(codePoints){return codePoints.map(codePoint=>codePoint<=65535?String.
fromCharCode(codePoint):(codePoint-=65536,String.fromCharCode((codePoint>>10&1023)+55296,(codePoint&1023)+56320))).join(
"")}function toUtf8String(bytes3,onError){return _toUtf8String(getUtf8CodePoints(bytes3,onError))}function toUtf8CodePoints(str,form=UnicodeNormalizationForm.
current){return getUtf8CodePoints(toUtf8Bytes(str,form))}var logger10,UnicodeNormalizationForm,Utf8ErrorReason,Utf8ErrorFuncs,
init_utf8=__esm({"../../../node_modules/@ethersproject/strings/lib.esm/utf8.js"(){"use strict";init_ethersproject_bytes();
init_lib();init_version4();logger10=new Logger(version8);(function(UnicodeNormalizationForm2){UnicodeNormalizationForm2.
current="",UnicodeNormalizationForm2.NFC="NFC",UnicodeNormalizationForm2.NFD="NFD",UnicodeNormalizationForm2.NFKC="NFKC",
UnicodeNormalizationForm2.NFKD="NFKD"})(UnicodeNormalizationForm||(UnicodeNormalizationForm={}));(function(Utf8ErrorReason2){
Utf8ErrorReason2.UNEXPECTED_CONTINUE="unexpected continuation byte",Utf8ErrorReason2.BAD_PREFIX="bad codepoint prefix",Utf8ErrorReason2.
OVERRUN="string overrun",Utf8ErrorReason2.MISSING_CONTINUE="missing continuation byte",Utf8ErrorReason2.OUT_OF_RANGE="ou\
t of UTF-8 range",Utf8ErrorReason2.UTF16_SURROGATE="UTF-16 surrogate",Utf8ErrorReason2.OVERLONG="overlong representation"})(
Utf8ErrorReason||(Utf8ErrorReason={}));__name(errorFunc,"errorFunc");__name(ignoreFunc,"ignoreFunc");__name(replaceFunc,
"replaceFunc");Utf8ErrorFuncs=Object.freeze({error:errorFunc,ignore:ignoreFunc,replace:replaceFunc});__name(getUtf8CodePoints,
"getUtf8CodePoints");__name(toUtf8Bytes,"toUtf8Bytes");__name(escapeChar,"escapeChar");__name(_toEscapedUtf8String,"_toE\
scapedUtf8String");__name(_toUtf8String,"_toUtf8String");__name(toUtf8String,"toUtf8String");__name(toUtf8CodePoints,"to\
Utf8CodePoints")}});function formatBytes32String(text){let bytes3=toUtf8Bytes(text);if(bytes3.length>31)throw new Error("bytes32 string must\
 be less than 32 bytes");return hexlify2(concat([bytes3,HashZero]).slice(0,32))}function parseBytes32String(bytes3){let data=arrayify2(
bytes3);if(data.length!==32)throw new Error("invalid bytes32 - not 32 bytes long");if(data[31]!==0)throw new Error("inva\
lid bytes32 string - no null terminator");let length=31;for(;data[length-1]===0;)length--;return toUtf8String(data.slice(
0,length))}var init_bytes32=__esm({"../../../node_modules/@ethersproject/strings/lib.esm/bytes32.js"(){"use strict";init_lib5();
init_ethersproject_bytes();init_utf8();__name(formatBytes32String,"formatBytes32String");__name(parseBytes32String,"pars\
eBytes32String")}});function bytes2(data){if(data.length%4!==0)throw new Error("bad data");let result=[];for(let i=0;i<data.length;i+=4)result.
push(parseInt(data.substring(i,i+4),16));return result}function createTable(data,func){func||(func=__name(function(value){
return[parseInt(value,16)]},"func"));let lo=0,result={};return data.split(",").forEach(pair=>{let comps=pair.split(":");
lo+=parseInt(comps[0],16),result[lo]=func(comps[1])}),result}function createRangeTable(data){let hi=0;return data.split(
",").map(v=>{let comps=v.split("-");comps.length===1?comps[1]="0":comps[1]===""&&(comps[1]="1");let lo=hi+parseInt(comps[0],
16);return hi=parseInt(comps[1],16),{l:lo,h:hi}})}function matchMap(value,ranges){let lo=0;for(let i=0;i<ranges.length;i++){
let range=ranges[i];if(lo+=range.l,value>=lo&&value<=lo+range.h&&(value-lo)%(range.d||1)===0){if(range.e&&range.e.indexOf(
value-lo)!==-1)continue;return range}}return null}function flatten(values){return values.reduce((accum,value)=>(value.forEach(
value2=>{accum.push(value2)}),accum),[])}function _nameprepTableA1(codepoint){return!!matchMap(codepoint,Table_A_1_ranges)}
function _nameprepTableB2(codepoint){let range=matchMap(codepoint,Table_B_2_ranges);if(range)return[codepoint+range.s];let codes=Table_B_2_lut_abs[codepoint];
if(codes)return codes;let shift=Table_B_2_lut_rel[codepoint];if(shift)return[codepoint+shift[0]];let complex=Table_B_2_complex[codepoint];
return complex||null}function _nameprepTableC(codepoint){return!!matchMap(codepoint,Table_C_ranges)}function nameprep(value){
if(value.match(/^[a-z0-9-]*$/i)&&value.length<=59)return value.toLowerCase();let codes=toUtf8CodePoints(value);codes=flatten(
codes.map(code=>{if(Table_B_1_flags.indexOf(code)>=0)return[];if(code>=65024&&code<=65039)return[];let codesTableB2=_nameprepTableB2(
code);return codesTableB2||[code]})),codes=toUtf8CodePoints(_toUtf8String(codes),UnicodeNormalizationForm.NFKC),codes.forEach(
code=>{if(_nameprepTableC(code))throw new Error("STRINGPREP_CONTAINS_PROHIBITED")}),codes.forEach(code=>{if(_nameprepTableA1(
code))throw new Error("STRINGPREP_CONTAINS_UNASSIGNED")});let name=_toUtf8String(codes);if(name.substring(0,1)==="-"||name.
substring(2,4)==="--"||name.substring(name.length-1)==="-")throw new Error("invalid hyphen");return name}var Table_A_1_ranges,
Table_B_1_flags,Table_B_2_ranges,Table_B_2_lut_abs,Table_B_2_lut_rel,Table_B_2_complex,Table_C_ranges,init_idna=__esm({"\
../../../node_modules/@ethersproject/strings/lib.esm/idna.js"(){"use strict";init_utf8();__name(bytes2,"bytes2");__name(
createTable,"createTable");__name(createRangeTable,"createRangeTable");__name(matchMap,"matchMap");Table_A_1_ranges=createRangeTable(
"221,13-1b,5f-,40-10,51-f,11-3,3-3,2-2,2-4,8,2,15,2d,28-8,88,48,27-,3-5,11-20,27-,8,28,3-5,12,18,b-a,1c-4,6-16,2-d,2-2,2\
,1b-4,17-9,8f-,10,f,1f-2,1c-34,33-14e,4,36-,13-,6-2,1a-f,4,9-,3-,17,8,2-2,5-,2,8-,3-,4-8,2-3,3,6-,16-6,2-,7-3,3-,17,8,3,\
3,3-,2,6-3,3-,4-a,5,2-6,10-b,4,8,2,4,17,8,3,6-,b,4,4-,2-e,2-4,b-10,4,9-,3-,17,8,3-,5-,9-2,3-,4-7,3-3,3,4-3,c-10,3,7-2,4,\
5-2,3,2,3-2,3-2,4-2,9,4-3,6-2,4,5-8,2-e,d-d,4,9,4,18,b,6-3,8,4,5-6,3-8,3-3,b-11,3,9,4,18,b,6-3,8,4,5-6,3-6,2,3-3,b-11,3,\
9,4,18,11-3,7-,4,5-8,2-7,3-3,b-11,3,13-2,19,a,2-,8-2,2-3,7,2,9-11,4-b,3b-3,1e-24,3,2-,3,2-,2-5,5,8,4,2,2-,3,e,4-,6,2,7-,\
b-,3-21,49,23-5,1c-3,9,25,10-,2-2f,23,6,3,8-2,5-5,1b-45,27-9,2a-,2-3,5b-4,45-4,53-5,8,40,2,5-,8,2,5-,28,2,5-,20,2,5-,8,2\
,5-,8,8,18,20,2,5-,8,28,14-5,1d-22,56-b,277-8,1e-2,52-e,e,8-a,18-8,15-b,e,4,3-b,5e-2,b-15,10,b-5,59-7,2b-555,9d-3,5b-5,1\
7-,7-,27-,7-,9,2,2,2,20-,36,10,f-,7,14-,4,a,54-3,2-6,6-5,9-,1c-10,13-1d,1c-14,3c-,10-6,32-b,240-30,28-18,c-14,a0,115-,3,\
66-,b-76,5,5-,1d,24,2,5-2,2,8-,35-2,19,f-10,1d-3,311-37f,1b,5a-b,d7-19,d-3,41,57-,68-4,29-3,5f,29-37,2e-2,25-c,2c-2,4e-3\
,30,78-3,64-,20,19b7-49,51a7-59,48e-2,38-738,2ba5-5b,222f-,3c-94,8-b,6-4,1b,6,2,3,3,6d-20,16e-f,41-,37-7,2e-2,11-f,5-b,1\
8-,b,14,5-3,6,88-,2,bf-2,7-,7-,7-,4-2,8,8-9,8-2ff,20,5-b,1c-b4,27-,27-cbb1,f7-9,28-2,b5-221,56,48,3-,2-,3-,5,d,2,5,3,42,\
5-,9,8,1d,5,6,2-2,8,153-3,123-3,33-27fd,a6da-5128,21f-5df,3-fffd,3-fffd,3-fffd,3-fffd,3-fffd,3-fffd,3-fffd,3-fffd,3-fffd\
,3-fffd,3-fffd,3,2-1d,61-ff7d"),Table_B_1_flags="ad,34f,1806,180b,180c,180d,200b,200c,200d,2060,feff".split(",").map(v=>parseInt(
v,16)),Table_B_2_ranges=[{h:25,s:32,l:65},{h:30,s:32,e:[23],l:127},{h:54,s:1,e:[48],l:64,d:2},{h:14,s:1,l:57,d:2},{h:44,
s:1,l:17,d:2},{h:10,s:1,e:[2,6,8],l:61,d:2},{h:16,s:1,l:68,d:2},{h:84,s:1,e:[18,24,66],l:19,d:2},{h:26,s:32,e:[17],l:435},
{h:22,s:1,l:71,d:2},{h:15,s:80,l:40},{h:31,s:32,l:16},{h:32,s:1,l:80,d:2},{h:52,s:1,l:42,d:2},{h:12,s:1,l:55,d:2},{h:40,
s:1,e:[38],l:15,d:2},{h:14,s:1,l:48,d:2},{h:37,s:48,l:49},{h:148,s:1,l:6351,d:2},{h:88,s:1,l:160,d:2},{h:15,s:16,l:704},
{h:25,s:26,l:854},{h:25,s:32,l:55915},{h:37,s:40,l:1247},{h:25,s:-119711,l:53248},{h:25,s:-119763,l:52},{h:25,s:-119815,
l:52},{h:25,s:-119867,e:[1,4,5,7,8,11,12,17],l:52},{h:25,s:-119919,l:52},{h:24,s:-119971,e:[2,7,8,17],l:52},{h:24,s:-120023,
e:[2,7,13,15,16,17],l:52},{h:25,s:-120075,l:52},{h:25,s:-120127,l:52},{h:25,s:-120179,l:52},{h:25,s:-120231,l:52},{h:25,
s:-120283,l:52},{h:25,s:-120335,l:52},{h:24,s:-119543,e:[17],l:56},{h:24,s:-119601,e:[17],l:58},{h:24,s:-119659,e:[17],l:58},
{h:24,s:-119717,e:[17],l:58},{h:24,s:-119775,e:[17],l:58}],Table_B_2_lut_abs=createTable("b5:3bc,c3:ff,7:73,2:253,5:254,\
3:256,1:257,5:259,1:25b,3:260,1:263,2:269,1:268,5:26f,1:272,2:275,7:280,3:283,5:288,3:28a,1:28b,5:292,3f:195,1:1bf,29:19\
e,125:3b9,8b:3b2,1:3b8,1:3c5,3:3c6,1:3c0,1a:3ba,1:3c1,1:3c3,2:3b8,1:3b5,1bc9:3b9,1c:1f76,1:1f77,f:1f7a,1:1f7b,d:1f78,1:1\
f79,1:1f7c,1:1f7d,107:63,5:25b,4:68,1:68,1:68,3:69,1:69,1:6c,3:6e,4:70,1:71,1:72,1:72,1:72,7:7a,2:3c9,2:7a,2:6b,1:e5,1:6\
2,1:63,3:65,1:66,2:6d,b:3b3,1:3c0,6:64,1b574:3b8,1a:3c3,20:3b8,1a:3c3,20:3b8,1a:3c3,20:3b8,1a:3c3,20:3b8,1a:3c3"),Table_B_2_lut_rel=
createTable("179:1,2:1,2:1,5:1,2:1,a:4f,a:1,8:1,2:1,2:1,3:1,5:1,3:1,4:1,2:1,3:1,4:1,8:2,1:1,2:2,1:1,2:2,27:2,195:26,2:25\
,1:25,1:25,2:40,2:3f,1:3f,33:1,11:-6,1:-9,1ac7:-3a,6d:-8,1:-8,1:-8,1:-8,1:-8,1:-8,1:-8,1:-8,9:-8,1:-8,1:-8,1:-8,1:-8,1:-\
8,b:-8,1:-8,1:-8,1:-8,1:-8,1:-8,1:-8,1:-8,9:-8,1:-8,1:-8,1:-8,1:-8,1:-8,1:-8,1:-8,9:-8,1:-8,1:-8,1:-8,1:-8,1:-8,c:-8,2:-\
8,2:-8,2:-8,9:-8,1:-8,1:-8,1:-8,1:-8,1:-8,1:-8,1:-8,49:-8,1:-8,1:-4a,1:-4a,d:-56,1:-56,1:-56,1:-56,d:-8,1:-8,f:-8,1:-8,3\
:-7"),Table_B_2_complex=createTable("df:00730073,51:00690307,19:02BC006E,a7:006A030C,18a:002003B9,16:03B903080301,20:03C\
503080301,1d7:05650582,190f:00680331,1:00740308,1:0077030A,1:0079030A,1:006102BE,b6:03C50313,2:03C503130300,2:03C5031303\
01,2:03C503130342,2a:1F0003B9,1:1F0103B9,1:1F0203B9,1:1F0303B9,1:1F0403B9,1:1F0503B9,1:1F0603B9,1:1F0703B9,1:1F0003B9,1:\
1F0103B9,1:1F0203B9,1:1F0303B9,1:1F0403B9,1:1F0503B9,1:1F0603B9,1:1F0703B9,1:1F2003B9,1:1F2103B9,1:1F2203B9,1:1F2303B9,1\
:1F2403B9,1:1F2503B9,1:1F2603B9,1:1F2703B9,1:1F2003B9,1:1F2103B9,1:1F2203B9,1:1F2303B9,1:1F2403B9,1:1F2503B9,1:1F2603B9,\
1:1F2703B9,1:1F6003B9,1:1F6103B9,1:1F6203B9,1:1F6303B9,1:1F6403B9,1:1F6503B9,1:1F6603B9,1:1F6703B9,1:1F6003B9,1:1F6103B9\
,1:1F6203B9,1:1F6303B9,1:1F6403B9,1:1F6503B9,1:1F6603B9,1:1F6703B9,3:1F7003B9,1:03B103B9,1:03AC03B9,2:03B10342,1:03B1034\
203B9,5:03B103B9,6:1F7403B9,1:03B703B9,1:03AE03B9,2:03B70342,1:03B7034203B9,5:03B703B9,6:03B903080300,1:03B903080301,3:0\
3B90342,1:03B903080342,b:03C503080300,1:03C503080301,1:03C10313,2:03C50342,1:03C503080342,b:1F7C03B9,1:03C903B9,1:03CE03\
B9,2:03C90342,1:03C9034203B9,5:03C903B9,ac:00720073,5b:00B00063,6:00B00066,d:006E006F,a:0073006D,1:00740065006C,1:007400\
6D,124f:006800700061,2:00610075,2:006F0076,b:00700061,1:006E0061,1:03BC0061,1:006D0061,1:006B0061,1:006B0062,1:006D0062,\
1:00670062,3:00700066,1:006E0066,1:03BC0066,4:0068007A,1:006B0068007A,1:006D0068007A,1:00670068007A,1:00740068007A,15:00\
700061,1:006B00700061,1:006D00700061,1:006700700061,8:00700076,1:006E0076,1:03BC0076,1:006D0076,1:006B0076,1:006D0076,1:\
00700077,1:006E0077,1:03BC0077,1:006D0077,1:006B0077,1:006D0077,1:006B03C9,1:006D03C9,2:00620071,3:00632215006B0067,1:00\
63006F002E,1:00640062,1:00670079,2:00680070,2:006B006B,1:006B006D,9:00700068,2:00700070006D,1:00700072,2:00730076,1:0077\
0062,c723:00660066,1:00660069,1:0066006C,1:006600660069,1:00660066006C,1:00730074,1:00730074,d:05740576,1:05740565,1:057\
4056B,1:057E0576,1:0574056D",bytes2),Table_C_ranges=createRangeTable("80-20,2a0-,39c,32,f71,18e,7f2-f,19-7,30-4,7-5,f81-\
b,5,a800-20ff,4d1-1f,110,fa-6,d174-7,2e84-,ffff-,ffff-,ffff-,ffff-,ffff-,ffff-,ffff-,ffff-,ffff-,ffff-,ffff-,ffff-,2,1f-\
5f,ff7f-20001");__name(flatten,"flatten");__name(_nameprepTableA1,"_nameprepTableA1");__name(_nameprepTableB2,"_nameprep\
TableB2");__name(_nameprepTableC,"_nameprepTableC");__name(nameprep,"nameprep")}});var init_lib6=__esm({"../../../node_modules/@ethersproject/strings/lib.esm/index.js"(){"use strict";init_bytes32();init_idna();
init_utf8()}});var version9,init_version5=__esm({"../../../node_modules/@ethersproject/hash/lib.esm/_version.js"(){version9="hash/5.7.0"}});function decode2(textData){textData=atob(textData);let data=[];for(let i=0;i<textData.length;i++)data.push(textData.charCodeAt(
i));return arrayify2(data)}function encode2(data){data=arrayify2(data);let textData="";for(let i=0;i<data.length;i++)textData+=
String.fromCharCode(data[i]);return btoa(textData)}var init_base64=__esm({"../../../node_modules/@ethersproject/base64/l\
ib.esm/base64.js"(){"use strict";init_ethersproject_bytes();__name(decode2,"decode");__name(encode2,"encode")}});var lib_exports3={};__export(lib_exports3,{decode:()=>decode2,encode:()=>encode2});var init_lib7=__esm({"../../../node_m\
odules/@ethersproject/base64/lib.esm/index.js"(){"use strict";init_base64()}});function flat(array,depth){depth==null&&(depth=1);let result=[],forEach=result.forEach,flatDeep=__name(function(arr,depth2){
forEach.call(arr,function(val){depth2>0&&Array.isArray(val)?flatDeep(val,depth2-1):result.push(val)})},"flatDeep");return flatDeep(
array,depth),result}function fromEntries(array){let result={};for(let i=0;i<array.length;i++){let value=array[i];result[value[0]]=
value[1]}return result}function decode_arithmetic(bytes3){let pos=0;function u16(){return bytes3[pos++]<<8|bytes3[pos++]}
__name(u16,"u16");let symbol_count=u16(),total=1,acc=[0,1];for(let i=1;i<symbol_count;i++)acc.push(total+=u16());let skip=u16(),
pos_payload=pos;pos+=skip;let read_width=0,read_buffer=0;function read_bit(){return read_width==0&&(read_buffer=read_buffer<<
8|bytes3[pos++],read_width=8),read_buffer>>--read_width&1}__name(read_bit,"read_bit");let N2=31,FULL=Math.pow(2,N2),HALF=FULL>>>
1,QRTR=HALF>>1,MASK=FULL-1,register=0;for(let i=0;i<N2;i++)register=register<<1|read_bit();let symbols=[],low=0,range=FULL;
for(;;){let value=Math.floor(((register-low+1)*total-1)/range),start=0,end=symbol_count;for(;end-start>1;){let mid=start+
end>>>1;value<acc[mid]?end=mid:start=mid}if(start==0)break;symbols.push(start);let a=low+Math.floor(range*acc[start]/total),
b=low+Math.floor(range*acc[start+1]/total)-1;for(;((a^b)&HALF)==0;)register=register<<1&MASK|read_bit(),a=a<<1&MASK,b=b<<
1&MASK|1;for(;a&~b&QRTR;)register=register&HALF|register<<1&MASK>>>1|read_bit(),a=a<<1^HALF,b=(b^HALF)<<1|HALF|1;low=a,range=
1+b-a}let offset=symbol_count-4;return symbols.map(x=>{switch(x-offset){case 3:return offset+65792+(bytes3[pos_payload++]<<
16|bytes3[pos_payload++]<<8|bytes3[pos_payload++]);case 2:return offset+256+(bytes3[pos_payload++]<<8|bytes3[pos_payload++]);case 1:
return offset+bytes3[pos_payload++];default:return x-1}})}function read_payload(v){let pos=0;return()=>v[pos++]}function read_compressed_payload(bytes3){
return read_payload(decode_arithmetic(bytes3))}function signed(i){return i&1?~i>>1:i>>1}function read_counts(n,next){let v=Array(
n);for(let i=0;i<n;i++)v[i]=1+next();return v}function read_ascending(n,next){let v=Array(n);for(let i=0,x=-1;i<n;i++)v[i]=
x+=1+next();return v}function read_deltas(n,next){let v=Array(n);for(let i=0,x=0;i<n;i++)v[i]=x+=signed(next());return v}
function read_member_array(next,lookup){let v=read_ascending(next(),next),n=next(),vX=read_ascending(n,next),vN=read_counts(
n,next);for(let i=0;i<n;i++)for(let j=0;j<vN[i];j++)v.push(vX[i]+j);return lookup?v.map(x=>lookup[x]):v}function read_mapped_map(next){
let ret=[];for(;;){let w=next();if(w==0)break;ret.push(read_linear_table(w,next))}for(;;){let w=next()-1;if(w<0)break;ret.
push(read_replacement_table(w,next))}return fromEntries(flat(ret))}function read_zero_terminated_array(next){let v=[];for(;;){
let i=next();if(i==0)break;v.push(i)}return v}function read_transposed(n,w,next){let m=Array(n).fill(void 0).map(()=>[]);
for(let i=0;i<w;i++)read_deltas(n,next).forEach((x,j)=>m[j].push(x));return m}function read_linear_table(w,next){let dx=1+
next(),dy=next(),vN=read_zero_terminated_array(next),m=read_transposed(vN.length,1+w,next);return flat(m.map((v,i)=>{let x=v[0],
ys=v.slice(1);return Array(vN[i]).fill(void 0).map((_,j)=>{let j_dy=j*dy;return[x+j*dx,ys.map(y=>y+j_dy)]})}))}function read_replacement_table(w,next){
let n=1+next();return read_transposed(n,1+w,next).map(v=>[v[0],v.slice(1)])}function read_emoji_trie(next){let sorted=read_member_array(
next).sort((a,b)=>a-b);return read();function read(){let branches=[];for(;;){let keys=read_member_array(next,sorted);if(keys.
length==0)break;branches.push({set:new Set(keys),node:read()})}branches.sort((a,b)=>b.set.size-a.set.size);let temp=next(),
valid=temp%3;temp=temp/3|0;let fe0f=!!(temp&1);temp>>=1;let save=temp==1,check=temp==2;return{branches,valid,fe0f,save,check}}}
var init_decoder=__esm({"../../../node_modules/@ethersproject/hash/lib.esm/ens-normalize/decoder.js"(){__name(flat,"flat");
__name(fromEntries,"fromEntries");__name(decode_arithmetic,"decode_arithmetic");__name(read_payload,"read_payload");__name(
read_compressed_payload,"read_compressed_payload");__name(signed,"signed");__name(read_counts,"read_counts");__name(read_ascending,
"read_ascending");__name(read_deltas,"read_deltas");__name(read_member_array,"read_member_array");__name(read_mapped_map,
"read_mapped_map");__name(read_zero_terminated_array,"read_zero_terminated_array");__name(read_transposed,"read_transpos\
ed");__name(read_linear_table,"read_linear_table");__name(read_replacement_table,"read_replacement_table");__name(read_emoji_trie,
"read_emoji_trie")}});function getData(){return read_compressed_payload(decode2("AEQF2AO2DEsA2wIrAGsBRABxAN8AZwCcAEwAqgA0AGwAUgByADcATAAVAFYAI\
QAyACEAKAAYAFgAGwAjABQAMAAmADIAFAAfABQAKwATACoADgAbAA8AHQAYABoAGQAxADgALAAoADwAEwA9ABMAGgARAA4ADwAWABMAFgAIAA8AHgQXBYMA5\
BHJAS8JtAYoAe4AExozi0UAH21tAaMnBT8CrnIyhrMDhRgDygIBUAEHcoFHUPe8AXBjAewCjgDQR8IICIcEcQLwATXCDgzvHwBmBoHNAqsBdBcUAykgDhAMS\
hskMgo8AY8jqAQfAUAfHw8BDw87MioGlCIPBwZCa4ELatMAAMspJVgsDl8AIhckSg8XAHdvTwBcIQEiDT4OPhUqbyECAEoAS34Aej8Ybx83JgT/Xw8gHxZ/7\
w8RICxPHA9vBw+Pfw8PHwAPFv+fAsAvCc8vEr8ivwD/EQ8Bol8OEBa/A78hrwAPCU8vESNvvwWfHwNfAVoDHr+ZAAED34YaAdJPAK7PLwSEgDLHAGo1Pz8Pv\
x9fUwMrpb8O/58VTzAPIBoXIyQJNF8hpwIVAT8YGAUADDNBaX3RAMomJCg9EhUeA29MABsZBTMNJipjOhc19gcIDR8bBwQHEggCWi6DIgLuAQYA+BAFCha3A\
5XiAEsqM7UFFgFLhAMjFTMYE1Klnw74nRVBG/ASCm0BYRN/BrsU3VoWy+S0vV8LQx+vN8gF2AC2AK5EAWwApgYDKmAAroQ0NDQ0AT+OCg7wAAIHRAbpNgVcB\
V0APTA5BfbPFgMLzcYL/QqqA82eBALKCjQCjqYCht0/k2+OAsXQAoP3ASTKDgDw6ACKAUYCMpIKJpRaAE4A5womABzZvs0REEKiACIQAd5QdAECAj4Ywg/wG\
qY2AVgAYADYvAoCGAEubA0gvAY2ALAAbpbvqpyEAGAEpgQAJgAG7gAgAEACmghUFwCqAMpAINQIwC4DthRAAPcycKgApoIdABwBfCisABoATwBqASIAvhnSB\
P8aH/ECeAKXAq40NjgDBTwFYQU6AXs3oABgAD4XNgmcCY1eCl5tIFZeUqGgyoNHABgAEQAaABNwWQAmABMATPMa3T34ADldyprmM1M2XociUQgLzvwAXT3xA\
BgAEQAaABNwIGFAnADD8AAgAD4BBJWzaCcIAIEBFMAWwKoAAdq9BWAF5wLQpALEtQAKUSGkahR4GnJM+gsAwCgeFAiUAECQ0BQuL8AAIAAAADKeIheclvFqQ\
AAETr4iAMxIARMgAMIoHhQIAn0E0pDQFC4HhznoAAAAIAI2C0/4lvFqQAAETgBJJwYCAy4ABgYAFAA8MBKYEH4eRhTkAjYeFcgACAYAeABsOqyQ5gRwDayqu\
gEgaIIAtgoACgDmEABmBAWGme5OBJJA2m4cDeoAmITWAXwrMgOgAGwBCh6CBXYF1Tzg1wKAAFdiuABRAFwAXQBsAG8AdgBrAHYAbwCEAHEwfxQBVE5TEQADV\
FhTBwBDANILAqcCzgLTApQCrQL6vAAMAL8APLhNBKkE6glGKTAU4Dr4N2EYEwBCkABKk8rHAbYBmwIoAiU4Ajf/Aq4CowCAANIChzgaNBsCsTgeODcFXrgCl\
QKdAqQBiQGYAqsCsjTsNHsfNPA0ixsAWTWiOAMFPDQSNCk2BDZHNow2TTZUNhk28Jk9VzI3QkEoAoICoQKwAqcAQAAxBV4FXbS9BW47YkIXP1ciUqs05DS/F\
wABUwJW11e6nHuYZmSh/RAYA8oMKvZ8KASoUAJYWAJ6ILAsAZSoqjpgA0ocBIhmDgDWAAawRDQoAAcuAj5iAHABZiR2AIgiHgCaAU68ACxuHAG0ygM8MiZIA\
lgBdF4GagJqAPZOHAMuBgoATkYAsABiAHgAMLoGDPj0HpKEBAAOJgAuALggTAHWAeAMEDbd20Uege0ADwAWADkAQgA9OHd+2MUQZBBhBgNNDkxxPxUQArEPq\
wvqERoM1irQ090ANK4H8ANYB/ADWANYB/AH8ANYB/ADWANYA1gDWBwP8B/YxRBkD00EcgWTBZAE2wiIJk4RhgctCNdUEnQjHEwDSgEBIypJITuYMxAlR0wRT\
QgIATZHbKx9PQNMMbBU+pCnA9AyVDlxBgMedhKlAC8PeCE1uk6DekxxpQpQT7NX9wBFBgASqwAS5gBJDSgAUCwGPQBI4zTYABNGAE2bAE3KAExdGABKaAbgA\
FBXAFCOAFBJABI2SWdObALDOq0//QomCZhvwHdTBkIQHCemEPgMNAG2ATwN7kvZBPIGPATKH34ZGg/OlZ0Ipi3eDO4m5C6igFsj9iqEBe5L9TzeC05RaQ9aC\
2YJ5DpkgU8DIgEOIowK3g06CG4Q9ArKbA3mEUYHOgPWSZsApgcCCxIdNhW2JhFirQsKOXgG/Br3C5AmsBMqev0F1BoiBk4BKhsAANAu6IWxWjJcHU9gBgQLJ\
iPIFKlQIQ0mQLh4SRocBxYlqgKSQ3FKiFE3HpQh9zw+DWcuFFF9B/Y8BhlQC4I8n0asRQ8R0z6OPUkiSkwtBDaALDAnjAnQD4YMunxzAVoJIgmyDHITMhEYN\
8YIOgcaLpclJxYIIkaWYJsE+KAD9BPSAwwFQAlCBxQDthwuEy8VKgUOgSXYAvQ21i60ApBWgQEYBcwPJh/gEFFH4Q7qCJwCZgOEJewALhUiABginAhEZABgj\
9lTBi7MCMhqbSN1A2gU6GIRdAeSDlgHqBw0FcAc4nDJXgyGCSiksAlcAXYJmgFgBOQICjVcjKEgQmdUi1kYnCBiQUBd/QIyDGYVoES+h3kCjA9sEhwBNgF0B\
zoNAgJ4Ee4RbBCWCOyGBTW2M/k6JgRQIYQgEgooA1BszwsoJvoM+WoBpBJjAw00PnfvZ6xgtyUX/gcaMsZBYSHyC5NPzgydGsIYQ1QvGeUHwAP0GvQn60FYB\
gADpAQUOk4z7wS+C2oIjAlAAEoOpBgH2BhrCnKM0QEyjAG4mgNYkoQCcJAGOAcMAGgMiAV65gAeAqgIpAAGANADWAA6Aq4HngAaAIZCAT4DKDABIuYCkAOUC\
DLMAZYwAfQqBBzEDBYA+DhuSwLDsgKAa2ajBd5ZAo8CSjYBTiYEBk9IUgOwcuIA3ABMBhTgSAEWrEvMG+REAeBwLADIAPwABjYHBkIBzgH0bgC4AWALMgmjt\
LYBTuoqAIQAFmwB2AKKAN4ANgCA8gFUAE4FWvoF1AJQSgESMhksWGIBvAMgATQBDgB6BsyOpsoIIARuB9QCEBwV4gLvLwe2AgMi4BPOQsYCvd9WADIXUu5eZ\
wqoCqdeaAC0YTQHMnM9UQAPH6k+yAdy/BZIiQImSwBQ5gBQQzSaNTFWSTYBpwGqKQK38AFtqwBI/wK37gK3rQK3sAK6280C0gK33AK3zxAAUEIAUD9SklKDA\
rekArw5AEQAzAHCO147WTteO1k7XjtZO147WTteO1kDmChYI03AVU0oJqkKbV9GYewMpw3VRMk6ShPcYFJgMxPJLbgUwhXPJVcZPhq9JwYl5VUKDwUt1GYxC\
C00dhe9AEApaYNCY4ceMQpMHOhTklT5LRwAskujM7ANrRsWREEFSHXuYisWDwojAmSCAmJDXE6wXDchAqH4AmiZAmYKAp+FOBwMAmY8AmYnBG8EgAN/FAN+k\
zkHOXgYOYM6JCQCbB4CMjc4CwJtyAJtr/CLADRoRiwBaADfAOIASwYHmQyOAP8MwwAOtgJ3MAJ2o0ACeUxEAni7Hl3cRa9G9AJ8QAJ6yQJ9CgJ88UgBSH5kJ\
QAsFklZSlwWGErNAtECAtDNSygDiFADh+dExpEzAvKiXQQDA69Lz0wuJgTQTU1NsAKLQAKK2cIcCB5EaAa4Ao44Ao5dQZiCAo7aAo5deVG1UzYLUtVUhgKT/\
AKTDQDqAB1VH1WwVdEHLBwplocy4nhnRTw6ApegAu+zWCKpAFomApaQApZ9nQCqWa1aCoJOADwClrYClk9cRVzSApnMApllXMtdCBoCnJw5wzqeApwXAp+cA\
p65iwAeEDIrEAKd8gKekwC2PmE1YfACntQCoG8BqgKeoCACnk+mY8lkKCYsAiewAiZ/AqD8AqBN2AKmMAKlzwKoAAB+AqfzaH1osgAESmodatICrOQCrK8Cr\
WgCrQMCVx4CVd0CseLYAx9PbJgCsr4OArLpGGzhbWRtSWADJc4Ctl08QG6RAylGArhfArlIFgK5K3hwN3DiAr0aAy2zAzISAr6JcgMDM3ICvhtzI3NQAsPMA\
sMFc4N0TDZGdOEDPKgDPJsDPcACxX0CxkgCxhGKAshqUgLIRQLJUALJLwJkngLd03h6YniveSZL0QMYpGcDAmH1GfSVJXsMXpNevBICz2wCz20wTFTT9BSgA\
MeuAs90ASrrA04TfkwGAtwoAtuLAtJQA1JdA1NgAQIDVY2AikABzBfuYUZ2AILPg44C2sgC2d+EEYRKpz0DhqYAMANkD4ZyWvoAVgLfZgLeuXR4AuIw7RUB8\
zEoAfScAfLTiALr9ALpcXoAAur6AurlAPpIAboC7ooC652Wq5cEAu5AA4XhmHpw4XGiAvMEAGoDjheZlAL3FAORbwOSiAL3mQL52gL4Z5odmqy8OJsfA52EA\
v77ARwAOp8dn7QDBY4DpmsDptoA0sYDBmuhiaIGCgMMSgFgASACtgNGAJwEgLpoBgC8BGzAEowcggCEDC6kdjoAJAM0C5IKRoABZCgiAIzw3AYBLACkfng9o\
gigkgNmWAN6AEQCvrkEVqTGAwCsBRbAA+4iQkMCHR072jI2PTbUNsk2RjY5NvA23TZKNiU3EDcZN5I+RTxDRTBCJkK5VBYKFhZfwQCWygU3AJBRHpu+OytgN\
xa61A40GMsYjsn7BVwFXQVcBV0FaAVdBVwFXQVcBV0FXAVdBVwFXUsaCNyKAK4AAQUHBwKU7oICoW1e7jAEzgPxA+YDwgCkBFDAwADABKzAAOxFLhitA1UFT\
DeyPkM+bj51QkRCuwTQWWQ8X+0AWBYzsACNA8xwzAGm7EZ/QisoCTAbLDs6fnLfb8H2GccsbgFw13M1HAVkBW/Jxsm9CNRO8E8FDD0FBQw9FkcClOYCoMFeg\
pDfADgcMiA2AJQACB8AsigKAIzIEAJKeBIApY5yPZQIAKQiHb4fvj5BKSRPQrZCOz0oXyxgOywfKAnGbgMClQaCAkILXgdeCD9IIGUgQj5fPoY+dT52Ao5CM\
0dAX9BTVG9SDzFwWTQAbxBzJF/lOEIQQglCCkKJIAls5AcClQICoKPMODEFxhi6KSAbiyfIRrMjtCgdWCAkPlFBIitCsEJRzAbMAV/OEyQzDg0OAQQEJ36i3\
28/Mk9AybDJsQlq3tDRApUKAkFzXf1d/j9uALYP6hCoFgCTGD8kPsFKQiobrm0+zj0KSD8kPnVCRBwMDyJRTHFgMTJa5rwXQiQ2YfI/JD7BMEJEHGINTw4TO\
FlIRzwJO0icMQpyPyQ+wzJCRBv6DVgnKB01NgUKj2bwYzMqCoBkznBgEF+zYDIocwRIX+NgHj4HICNfh2C4CwdwFWpTG/lgUhYGAwRfv2Ts8mAaXzVgml/XY\
IJfuWC4HI1gUF9pYJZgMR6ilQHMAOwLAlDRefC0in4AXAEJA6PjCwc0IamOANMMCAECRQDFNRTZBgd+CwQlRA+r6+gLBDEFBnwUBXgKATIArwAGRAAHA3cDd\
AN2A3kDdwN9A3oDdQN7A30DfAN4A3oDfQAYEAAlAtYASwMAUAFsAHcKAHcAmgB3AHUAdQB2AHVu8UgAygDAAHcAdQB1AHYAdQALCgB3AAsAmgB3AAsCOwB3A\
Atu8UgAygDAAHgKAJoAdwB3AHUAdQB2AHUAeAB1AHUAdgB1bvFIAMoAwAALCgCaAHcACwB3AAsCOwB3AAtu8UgAygDAAH4ACwGgALcBpwC6AahdAu0COwLtb\
vFIAMoAwAALCgCaAu0ACwLtAAsCOwLtAAtu8UgAygDAA24ACwNvAAu0VsQAAzsAABCkjUIpAAsAUIusOggWcgMeBxVsGwL67U/2HlzmWOEeOgALASvuAAseA\
fpKUpnpGgYJDCIZM6YyARUE9ThqAD5iXQgnAJYJPnOzw0ZAEZxEKsIAkA4DhAHnTAIDxxUDK0lxCQlPYgIvIQVYJQBVqE1GakUAKGYiDToSBA1EtAYAXQJYA\
IF8GgMHRyAAIAjOe9YncekRAA0KACUrjwE7Ayc6AAYWAqaiKG4McEcqANoN3+Mg9TwCBhIkuCny+JwUQ29L008JluRxu3K+oAdqiHOqFH0AG5SUIfUJ5SxCG\
fxdipRzqTmT4V5Zb+r1Uo4Vm+NqSSEl2mNvR2JhIa8SpYO6ntdwFXHCWTCK8f2+Hxo7uiG3drDycAuKIMP5bhi06ACnqArH1rz4Rqg//lm6SgJGEVbF9xJHI\
SaR6HxqxSnkw6shDnelHKNEfGUXSJRJ1GcsmtJw25xrZMDK9gXSm1/YMkdX4/6NKYOdtk/NQ3/NnDASjTc3fPjIjW/5sVfVObX2oTDWkr1dF9f3kxBsD3/3a\
QO8hPfRz+e0uEiJqt1161griu7gz8hDDwtpy+F+BWtefnKHZPAxcZoWbnznhJpy0e842j36bcNzGnIEusgGX0a8ZxsnjcSsPDZ09yZ36fCQbriHeQ72JRMIL\
Nl6ePPf2HWoVwgWAm1fb3V2sAY0+B6rAXqSwPBgseVmoqsBTSrm91+XasMYYySI8eeRxH3ZvHkMz3BQ5aJ3iUVbYPNM3/7emRtjlsMgv/9VyTsyt/mK+8fgW\
eT6SoFaclXqn42dAIsvAarF5vNNWHzKSkKQ/8Hfk5ZWK7r9yliOsooyBjRhfkHP4Q2DkWXQi6FG/9r/IwbmkV5T7JSopHKn1pJwm9tb5Ot0oyN1Z2mPpKXHT\
xx2nlK08fKk1hEYA8WgVVWL5lgx0iTv+KdojJeU23ZDjmiubXOxVXJKKi2Wjuh2HLZOFLiSC7Tls5SMh4f+Pj6xUSrNjFqLGehRNB8lC0QSLNmkJJx/wSG3M\
njE9T1CkPwJI0wH2lfzwETIiVqUxg0dfu5q39Gt+hwdcxkhhNvQ4TyrBceof3Mhs/IxFci1HmHr4FMZgXEEczPiGCx0HRwzAqDq2j9AVm1kwN0mRVLWLylgt\
oPNapF5cY4Y1wJh/e0BBwZj44YgZrDNqvD/9Hv7GFYdUQeDJuQ3EWI4HaKqavU1XjC/n41kT4L79kqGq0kLhdTZvgP3TA3fS0ozVz+5piZsoOtIvBUFoMKbN\
cmBL6YxxaUAusHB38XrS8dQMnQwJfUUkpRoGr5AUeWicvBTzyK9g77+yCkf5PAysL7r/JjcZgrbvRpMW9iyaxZvKO6ceZN2EwIxKwVFPuvFuiEPGCoagbMo+\
SpydLrXqBzNCDGFCrO/rkcwa2xhokQZ5CdZ0AsU3JfSqJ6n5I14YA+P/uAgfhPU84Tlw7cEFfp7AEE8ey4sP12PTt4Cods1GRgDOB5xvyiR5m+Bx8O5nBCNc\
tU8BevfV5A08x6RHd5jcwPTMDSZJOedIZ1cGQ704lxbAzqZOP05ZxaOghzSdvFBHYqomATARyAADK4elP8Ly3IrUZKfWh23Xy20uBUmLS4Pfagu9+oyVa2iP\
gqRP3F2CTUsvJ7+RYnN8fFZbU/HVvxvcFFDKkiTqV5UBZ3Gz54JAKByi9hkKMZJvuGgcSYXFmw08UyoQyVdfTD1/dMkCHXcTGAKeROgArsvmRrQTLUOXioOH\
GK2QkjHuoYFgXciZoTJd6Fs5q1QX1G+p/e26hYsEf7QZD1nnIyl/SFkNtYYmmBhpBrxl9WbY0YpHWRuw2Ll/tj9mD8P4snVzJl4F9J+1arVeTb9E5r2ILH04\
qStjxQNwn3m4YNqxmaNbLAqW2TN6LidwuJRqS+NXbtqxoeDXpxeGWmxzSkWxjkyCkX4NQRme6q5SAcC+M7+9ETfA/EwrzQajKakCwYyeunP6ZFlxU2oMEn1P\
z31zeStW74G406ZJFCl1wAXIoUKkWotYEpOuXB1uVNxJ63dpJEqfxBeptwIHNrPz8BllZoIcBoXwgfJ+8VAUnVPvRvexnw0Ma/WiGYuJO5y8QTvEYBigFmhU\
xY5RqzE8OcywN/8m4UYrlaniJO75XQ6KSo9+tWHlu+hMi0UVdiKQp7NelnoZUzNaIyBPVeOwK6GNp+FfHuPOoyhaWuNvTYFkvxscMQWDh+zeFCFkgwbXftiV\
23ywJ4+uwRqmg9k3KzwIQpzppt8DBBOMbrqwQM5Gb05sEwdKzMiAqOloaA/lr0KA+1pr0/+HiWoiIjHA/wir2nIuS3PeU/ji3O6ZwoxcR1SZ9FhtLC5S0FIz\
FhbBWcGVP/KpxOPSiUoAdWUpqKH++6Scz507iCcxYI6rdMBICPJZea7OcmeFw5mObJSiqpjg2UoWNIs+cFhyDSt6geV5qgi3FunmwwDoGSMgerFOZGX1m0dM\
CYo5XOruxO063dwENK9DbnVM9wYFREzh4vyU1WYYJ/LRRp6oxgjqP/X5a8/4Af6p6NWkQferzBmXme0zY/4nwMJm/wd1tIqSwGz+E3xPEAOoZlJit3XddD7/\
BT1pllzOx+8bmQtANQ/S6fZexc6qi3W+Q2xcmXTUhuS5mpHQRvcxZUN0S5+PL9lXWUAaRZhEH8hTdAcuNMMCuVNKTEGtSUKNi3O6KhSaTzck8csZ2vWRZ+d7\
mW8c4IKwXIYd25S/zIftPkwPzufjEvOHWVD1m+FjpDVUTV0DGDuHj6QnaEwLu/dEgdLQOg9E1Sro9XHJ8ykLAwtPu+pxqKDuFexqON1sKQm7rwbE1E68UCfA\
/erovrTCG+DBSNg0l4goDQvZN6uNlbyLpcZAwj2UclycvLpIZMgv4yRlpb3YuMftozorbcGVHt/VeDV3+Fdf1TP0iuaCsPi2G4XeGhsyF1ubVDxkoJhmniQ0\
/jSg/eYML9KLfnCFgISWkp91eauR3IQvED0nAPXK+6hPCYs+n3+hCZbiskmVMG2da+0EsZPonUeIY8EbfusQXjsK/eFDaosbPjEfQS0RKG7yj5GG69M7MeO1\
HmiUYocgygJHL6M1qzUDDwUSmr99V7Sdr2F3JjQAJY+F0yH33Iv3+C9M38eML7gTgmNu/r2bUMiPvpYbZ6v1/IaESirBHNa7mPKn4dEmYg7v/+HQgPN1G79j\
BQ1+soydfDC2r+h2Bl/KIc5KjMK7OH6nb1jLsNf0EHVe2KBiE51ox636uyG6Lho0t3J34L5QY/ilE3mikaF4HKXG1mG1rCevT1Vv6GavltxoQe/bMrpZvRgg\
nBxSEPEeEzkEdOxTnPXHVjUYdw8JYvjB/o7Eegc3Ma+NUxLLnsK0kJlinPmUHzHGtrk5+CAbVzFOBqpyy3QVUnzTDfC/0XD94/okH+OB+i7g9lolhWIjSnfI\
b+Eq43ZXOWmwvjyV/qqD+t0e+7mTEM74qP/Ozt8nmC7mRpyu63OB4KnUzFc074SqoyPUAgM+/TJGFo6T44EHnQU4X4z6qannVqgw/U7zCpwcmXV1AubIrvOm\
kKHazJAR55ePjp5tLBsN8vAqs3NAHdcEHOR2xQ0lsNAFzSUuxFQCFYvXLZJdOj9p4fNq6p0HBGUik2YzaI4xySy91KzhQ0+q1hjxvImRwPRf76tChlRkhRCi\
74NXZ9qUNeIwP+s5p+3m5nwPdNOHgSLD79n7O9m1n1uDHiMntq4nkYwV5OZ1ENbXxFd4PgrlvavZsyUO4MqYlqqn1O8W/I1dEZq5dXhrbETLaZIbC2Kj/Aa/\
QM+fqUOHdf0tXAQ1huZ3cmWECWSXy/43j35+Mvq9xws7JKseriZ1pEWKc8qlzNrGPUGcVgOa9cPJYIJsGnJTAUsEcDOEVULO5x0rXBijc1lgXEzQQKhROf8z\
IV82w8eswc78YX11KYLWQRcgHNJElBxfXr72lS2RBSl07qTKorO2uUDZr3sFhYsvnhLZn0A94KRzJ/7DEGIAhW5ZWFpL8gEwu1aLA9MuWZzNwl8Oze9Y+bX+\
v9gywRVnoB5I/8kXTXU3141yRLYrIOOz6SOnyHNy4SieqzkBXharjfjqq1q6tklaEbA8Qfm2DaIPs7OTq/nvJBjKfO2H9bH2cCMh1+5gspfycu8f/cuuRmtD\
jyqZ7uCIMyjdV3a+p3fqmXsRx4C8lujezIFHnQiVTXLXuI1XrwN3+siYYj2HHTvESUx8DlOTXpak9qFRK+L3mgJ1WsD7F4cu1aJoFoYQnu+wGDMOjJM3kiBQ\
WHCcvhJ/HRdxodOQp45YZaOTA22Nb4XKCVxqkbwMYFhzYQYIAnCW8FW14uf98jhUG2zrKhQQ0q0CEq0t5nXyvUyvR8DvD69LU+g3i+HFWQMQ8PqZuHD+sNKA\
V0+M6EJC0szq7rEr7B5bQ8BcNHzvDMc9eqB5ZCQdTf80Obn4uzjwpYU7SISdtV0QGa9D3Wrh2BDQtpBKxaNFV+/Cy2P/Sv+8s7Ud0Fd74X4+o/TNztWgETUa\
py+majNQ68Lq3ee0ZO48VEbTZYiH1Co4OlfWef82RWeyUXo7woM03PyapGfikTnQinoNq5z5veLpeMV3HCAMTaZmA1oGLAn7XS3XYsz+XK7VMQsc4XKrmDXO\
LU/pSXVNUq8dIqTba///3x6LiLS6xs1xuCAYSfcQ3+rQgmu7uvf3THKt5Ooo97TqcbRqxx7EASizaQCBQllG/rYxVapMLgtLbZS64w1MDBMXX+PQpBKNwqUK\
Of2DDRDUXQf9EhOS0Qj4nTmlA8dzSLz/G1d+Ud8MTy/6ghhdiLpeerGY/UlDOfiuqFsMUU5/UYlP+BAmgRLuNpvrUaLlVkrqDievNVEAwF+4CoM1MZTmjxjJ\
MsKJq+u8Zd7tNCUFy6LiyYXRJQ4VyvEQFFaCGKsxIwQkk7EzZ6LTJq2hUuPhvAW+gQnSG6J+MszC+7QCRHcnqDdyNRJ6T9xyS87A6MDutbzKGvGktpbXqtzW\
tXb9HsfK2cBMomjN9a4y+TaJLnXxAeX/HWzmf4cR4vALt/P4w4qgKY04ml4ZdLOinFYS6cup3G/1ie4+t1eOnpBNlqGqs75ilzkT4+DsZQxNvaSKJ//6zIbb\
k/M7LOhFmRc/1R+kBtz7JFGdZm/COotIdvQoXpTqP/1uqEUmCb/QWoGLMwO5ANcHzxdY48IGP5+J+zKOTBFZ4Pid+GTM+Wq12MV/H86xEJptBa6T+p3kgpwL\
edManBHC2GgNrFpoN2xnrMz9WFWX/8/ygSBkavq2Uv7FdCsLEYLu9LLIvAU0bNRDtzYl+/vXmjpIvuJFYjmI0im6QEYqnIeMsNjXG4vIutIGHijeAG/9EDBo\
zKV5cldkHbLxHh25vT+ZEzbhXlqvpzKJwcEgfNwLAKFeo0/pvEE10XDB+EXRTXtSzJozQKFFAJhMxYkVaCW+E9AL7tMeU8acxidHqzb6lX4691UsDpy/LLRm\
T+epgW56+5Cw8tB4kMUv6s9lh3eRKbyGs+H/4mQMaYzPTf2OOdokEn+zzgvoD3FqNKk8QqGAXVsqcGdXrT62fSPkR2vROFi68A6se86UxRUk4cajfPyCC4G5\
wDhD+zNq4jodQ4u4n/m37Lr36n4LIAAsVr02dFi9AiwA81MYs2rm4eDlDNmdMRvEKRHfBwW5DdMNp0jPFZMeARqF/wL4XBfd+EMLBfMzpH5GH6NaW+1vrvMd\
g+VxDzatk3MXgO3ro3P/DpcC6+Mo4MySJhKJhSR01SGGGp5hPWmrrUgrv3lDnP+HhcI3nt3YqBoVAVTBAQT5iuhTg8nvPtd8ZeYj6w1x6RqGUBrSku7+N1+B\
aasZvjTk64RoIDlL8brpEcJx3OmY7jLoZsswdtmhfC/G21llXhITOwmvRDDeTTPbyASOa16cF5/A1fZAidJpqju3wYAy9avPR1ya6eNp9K8XYrrtuxlqi+bD\
KwlfrYdR0RRiKRVTLOH85+ZY7XSmzRpfZBJjaTa81VDcJHpZnZnSQLASGYW9l51ZV/h7eVzTi3Hv6hUsgc/51AqJRTkpbFVLXXszoBL8nBX0u/0jBLT8nH+f\
JePbrwURT58OY+UieRjd1vs04w0VG5VN2U6MoGZkQzKN/ptz0Q366dxoTGmj7i1NQGHi9GgnquXFYdrCfZBmeb7s0T6yrdlZH5cZuwHFyIJ/kAtGsTg0xH5t\
aAAq44BAk1CPk9KVVbqQzrCUiFdF/6gtlPQ8bHHc1G1W92MXGZ5HEHftyLYs8mbD/9xYRUWkHmlM0zC2ilJlnNgV4bfALpQghxOUoZL7VTqtCHIaQSXm+YUM\
npkXybnV+A6xlm2CVy8fn0Xlm2XRa0+zzOa21JWWmixfiPMSCZ7qA4rS93VN3pkpF1s5TonQjisHf7iU9ZGvUPOAKZcR1pbeVf/Ul7OhepGCaId9wOtqo7pJ\
7yLcBZ0pFkOF28y4zEI/kcUNmutBHaQpBdNM8vjCS6HZRokkeo88TBAjGyG7SR+6vUgTcyK9Imalj0kuxz0wmK+byQU11AiJFk/ya5dNduRClcnU64yGu/ie\
WSeOos1t3ep+RPIWQ2pyTYVbZltTbsb7NiwSi3AV+8KLWk7LxCnfZUetEM8ThnsSoGH38/nyAwFguJp8FjvlHtcWZuU4hPva0rHfr0UhOOJ/F6vS62FW7Kzk\
mRll2HEc7oUq4fyi5T70Vl7YVIfsPHUCdHesf9Lk7WNVWO75JDkYbMI8TOW8JKVtLY9d6UJRITO8oKo0xS+o99Yy04iniGHAaGj88kEWgwv0OrHdY/nr76DO\
GNS59hXCGXzTKUvDl9iKpLSWYN1lxIeyywdNpTkhay74w2jFT6NS8qkjo5CxA1yfSYwp6AJIZNKIeEK5PJAW7ORgWgwp0VgzYpqovMrWxbu+DGZ6Lhie1RAq\
pzm8VUzKJOH3mCzWuTOLsN3VT/dv2eeYe9UjbR8YTBsLz7q60VN1sU51k+um1f8JxD5pPhbhSC8rRaB454tmh6YUWrJI3+GWY0qeWioj/tbkYITOkJaeuGt4\
JrJvHA+l0Gu7kY7XOaa05alMnRWVCXqFgLIwSY4uF59Ue5SU4QKuc/HamDxbr0x6csCetXGoP7Qn1Bk/J9DsynO/UD6iZ1Hyrz+jit0hDCwi/E9OjgKTbB3Z\
QKQ/0ZOvevfNHG0NK4Aj3Cp7NpRk07RT1i/S0EL93Ag8GRgKI9CfpajKyK6+Jj/PI1KO5/85VAwz2AwzP8FTBb075IxCXv6T9RVvWT2tUaqxDS92zrGUbWzU\
Yk9mSs82pECH+fkqsDt93VW++4YsR/dHCYcQSYTO/KaBMDj9LSD/J/+z20Kq8XvZUAIHtm9hRPP3ItbuAu2Hm5lkPs92pd7kCxgRs0xOVBnZ13ccdA0aunrw\
v9SdqElJRC3g+oCu+nXyCgmXUs9yMjTMAIHfxZV+aPKcZeUBWt057Xo85Ks1Ir5gzEHCWqZEhrLZMuF11ziGtFQUds/EESajhagzcKsxamcSZxGth4UII+ad\
PhQkUnx2WyN+4YWR+r3f8MnkyGFuR4zjzxJS8WsQYR5PTyRaD9ixa6Mh741nBHbzfjXHskGDq179xaRNrCIB1z1xRfWfjqw2pHc1zk9xlPpL8sQWAIuETZZh\
bnmL54rceXVNRvUiKrrqIkeogsl0XXb17ylNb0f4GA9Wd44vffEG8FSZGHEL2fbaTGRcSiCeA8PmA/f6Hz8HCS76fXUHwgwkzSwlI71ekZ7Fapmlk/KC+Hs8\
hUcw3N2LN5LhkVYyizYFl/uPeVP5lsoJHhhfWvvSWruCUW1ZcJOeuTbrDgywJ/qG07gZJplnTvLcYdNaH0KMYOYMGX+rB4NGPFmQsNaIwlWrfCezxre8zXBr\
sMT+edVLbLqN1BqB76JH4BvZTqUIMfGwPGEn+EnmTV86fPBaYbFL3DFEhjB45CewkXEAtJxk4/Ms2pPXnaRqdky0HOYdcUcE2zcXq4vaIvW2/v0nHFJH2XXe\
22ueDmq/18XGtELSq85j9X8q0tcNSSKJIX8FTuJF/Pf8j5PhqG2u+osvsLxYrvvfeVJL+4tkcXcr9JV7v0ERmj/X6fM3NC4j6dS1+9Umr2oPavqiAydTZPLM\
NRGY23LO9zAVDly7jD+70G5TPPLdhRIl4WxcYjLnM+SNcJ26FOrkrISUtPObIz5Zb3AG612krnpy15RMW+1cQjlnWFI6538qky9axd2oJmHIHP08KyP0ubGO\
+TQNOYuv2uh17yCIvR8VcStw7o1g0NM60sk+8Tq7YfIBJrtp53GkvzXH7OA0p8/n/u1satf/VJhtR1l8Wa6Gmaug7haSpaCaYQax6ta0mkutlb+eAOSG1aob\
M81D9A4iS1RRlzBBoVX6tU1S6WE2N9ORY6DfeLRC4l9Rvr5h95XDWB2mR1d4WFudpsgVYwiTwT31ljskD8ZyDOlm5DkGh9N/UB/0AI5Xvb8ZBmai2hQ4BWMq\
FwYnzxwB26YHSOv9WgY3JXnvoN+2R4rqGVh/LLDMtpFP+SpMGJNWvbIl5SOodbCczW2RKleksPoUeGEzrjtKHVdtZA+kfqO+rVx/iclCqwoopepvJpSTDjT+\
b9GWylGRF8EDbGlw6eUzmJM95Ovoz+kwLX3c2fTjFeYEsE7vUZm3mqdGJuKh2w9/QGSaqRHs99aScGOdDqkFcACoqdbBoQqqjamhH6Q9ng39JCg3lrGJwd50\
Qk9ovnqBTr8MME7Ps2wiVfygUmPoUBJJfJWX5Nda0nuncbFkA=="))}var init_include=__esm({"../../../node_modules/@ethersproject/has\
h/lib.esm/ens-normalize/include.js"(){init_lib7();init_decoder();__name(getData,"getData")}});function explode_cp(name){return toUtf8CodePoints(name)}function filter_fe0f(cps){return cps.filter(cp=>cp!=65039)}function ens_normalize_post_check(name){
for(let label of name.split(".")){let cps=explode_cp(label);try{for(let i=cps.lastIndexOf(UNDERSCORE)-1;i>=0;i--)if(cps[i]!==
UNDERSCORE)throw new Error("underscore only allowed at start");if(cps.length>=4&&cps.every(cp=>cp<128)&&cps[2]===HYPHEN&&
cps[3]===HYPHEN)throw new Error("invalid label extension")}catch(err){throw new Error(`Invalid label "${label}": ${err.message}`)}}
return name}function ens_normalize(name){return ens_normalize_post_check(normalize(name,filter_fe0f))}function normalize(name,emoji_filter){
let input=explode_cp(name).reverse(),output2=[];for(;input.length;){let emoji=consume_emoji_reversed(input);if(emoji){output2.
push(...emoji_filter(emoji));continue}let cp=input.pop();if(VALID.has(cp)){output2.push(cp);continue}if(IGNORED.has(cp))
continue;let cps=MAPPED[cp];if(cps){output2.push(...cps);continue}throw new Error(`Disallowed codepoint: 0x${cp.toString(
16).toUpperCase()}`)}return ens_normalize_post_check(nfc(String.fromCodePoint(...output2)))}function nfc(s){return s.normalize(
"NFC")}function consume_emoji_reversed(cps,eaten){var _a;let node=EMOJI_ROOT,emoji,saved,stack=[],pos=cps.length;for(eaten&&
(eaten.length=0);pos;){let cp=cps[--pos];if(node=(_a=node.branches.find(x=>x.set.has(cp)))===null||_a===void 0?void 0:_a.
node,!node)break;if(node.save)saved=cp;else if(node.check&&cp===saved)break;stack.push(cp),node.fe0f&&(stack.push(65039),
pos>0&&cps[pos-1]==65039&&pos--),node.valid&&(emoji=stack.slice(),node.valid==2&&emoji.splice(1,1),eaten&&eaten.push(...cps.
slice(pos).reverse()),cps.length=pos)}return emoji}var r,VALID,IGNORED,MAPPED,EMOJI_ROOT,HYPHEN,UNDERSCORE,init_lib8=__esm(
{"../../../node_modules/@ethersproject/hash/lib.esm/ens-normalize/lib.js"(){init_lib6();init_include();init_decoder();r=
getData(),VALID=new Set(read_member_array(r)),IGNORED=new Set(read_member_array(r)),MAPPED=read_mapped_map(r),EMOJI_ROOT=
read_emoji_trie(r),HYPHEN=45,UNDERSCORE=95;__name(explode_cp,"explode_cp");__name(filter_fe0f,"filter_fe0f");__name(ens_normalize_post_check,
"ens_normalize_post_check");__name(ens_normalize,"ens_normalize");__name(normalize,"normalize");__name(nfc,"nfc");__name(
consume_emoji_reversed,"consume_emoji_reversed")}});var namehash_exports={};__export(namehash_exports,{dnsEncode:()=>dnsEncode,ensNormalize:()=>ensNormalize,isValidName:()=>isValidName,
namehash:()=>namehash});function checkComponent(comp){if(comp.length===0)throw new Error("invalid ENS name; empty compon\
ent");return comp}function ensNameSplit(name){let bytes3=toUtf8Bytes(ens_normalize(name)),comps=[];if(name.length===0)return comps;
let last=0;for(let i=0;i<bytes3.length;i++)bytes3[i]===46&&(comps.push(checkComponent(bytes3.slice(last,i))),last=i+1);if(last>=
bytes3.length)throw new Error("invalid ENS name; empty component");return comps.push(checkComponent(bytes3.slice(last))),
comps}function ensNormalize(name){return ensNameSplit(name).map(comp=>toUtf8String(comp)).join(".")}function isValidName(name){
try{return ensNameSplit(name).length!==0}catch{}return!1}function namehash(name){typeof name!="string"&&logger13.throwArgumentError(
"invalid ENS name; not a string","name",name);let result=Zeros,comps=ensNameSplit(name);for(;comps.length;)result=keccak2562(
concat([result,keccak2562(comps.pop())]));return hexlify2(result)}function dnsEncode(name){return hexlify2(concat(ensNameSplit(
name).map(comp=>{if(comp.length>63)throw new Error("invalid DNS encoded entry; length exceeds 63 bytes");let bytes3=new Uint8Array(
comp.length+1);return bytes3.set(comp,1),bytes3[0]=bytes3.length-1,bytes3})))+"00"}var logger13,Zeros,init_namehash=__esm(
{"../../../node_modules/@ethersproject/hash/lib.esm/namehash.js"(){init_ethersproject_bytes();init_lib6();init_lib4();init_lib();
init_version5();init_lib8();logger13=new Logger(version9),Zeros=new Uint8Array(32);Zeros.fill(0);__name(checkComponent,"\
checkComponent");__name(ensNameSplit,"ensNameSplit");__name(ensNormalize,"ensNormalize");__name(isValidName,"isValidName");
__name(namehash,"namehash");__name(dnsEncode,"dnsEncode")}});var require_aes_js=__commonJS({"../../../node_modules/aes-js/index.js"(exports,module){"use strict";(function(root){function checkInt(value){
return parseInt(value)===value}__name(checkInt,"checkInt");function checkInts(arrayish){if(!checkInt(arrayish.length))return!1;
for(var i=0;i<arrayish.length;i++)if(!checkInt(arrayish[i])||arrayish[i]<0||arrayish[i]>255)return!1;return!0}__name(checkInts,
"checkInts");function coerceArray(arg,copy){if(arg.buffer&&ArrayBuffer.isView(arg)&&arg.name==="Uint8Array")return copy&&
(arg.slice?arg=arg.slice():arg=Array.prototype.slice.call(arg)),arg;if(Array.isArray(arg)){if(!checkInts(arg))throw new Error(
"Array contains invalid value: "+arg);return new Uint8Array(arg)}if(checkInt(arg.length)&&checkInts(arg))return new Uint8Array(
arg);throw new Error("unsupported array-like object")}__name(coerceArray,"coerceArray");function createArray(length){return new Uint8Array(
length)}__name(createArray,"createArray");function copyArray(sourceArray,targetArray,targetStart,sourceStart,sourceEnd){
(sourceStart!=null||sourceEnd!=null)&&(sourceArray.slice?sourceArray=sourceArray.slice(sourceStart,sourceEnd):sourceArray=
Array.prototype.slice.call(sourceArray,sourceStart,sourceEnd)),targetArray.set(sourceArray,targetStart)}__name(copyArray,
"copyArray");var convertUtf8=(function(){function toBytes2(text){var result=[],i=0;for(text=encodeURI(text);i<text.length;){
var c=text.charCodeAt(i++);c===37?(result.push(parseInt(text.substr(i,2),16)),i+=2):result.push(c)}return coerceArray(result)}
__name(toBytes2,"toBytes");function fromBytes(bytes3){for(var result=[],i=0;i<bytes3.length;){var c=bytes3[i];c<128?(result.
push(String.fromCharCode(c)),i++):c>191&&c<224?(result.push(String.fromCharCode((c&31)<<6|bytes3[i+1]&63)),i+=2):(result.
push(String.fromCharCode((c&15)<<12|(bytes3[i+1]&63)<<6|bytes3[i+2]&63)),i+=3)}return result.join("")}return __name(fromBytes,
"fromBytes"),{toBytes:toBytes2,fromBytes}})(),convertHex=(function(){function toBytes2(text){for(var result=[],i=0;i<text.
length;i+=2)result.push(parseInt(text.substr(i,2),16));return result}__name(toBytes2,"toBytes");var Hex="0123456789abcde\
f";function fromBytes(bytes3){for(var result=[],i=0;i<bytes3.length;i++){var v=bytes3[i];result.push(Hex[(v&240)>>4]+Hex[v&
15])}return result.join("")}return __name(fromBytes,"fromBytes"),{toBytes:toBytes2,fromBytes}})(),numberOfRounds={16:10,
24:12,32:14},rcon=[1,2,4,8,16,32,64,128,27,54,108,216,171,77,154,47,94,188,99,198,151,53,106,212,179,125,250,239,197,145],
S=[99,124,119,123,242,107,111,197,48,1,103,43,254,215,171,118,202,130,201,125,250,89,71,240,173,212,162,175,156,164,114,
192,183,253,147,38,54,63,247,204,52,165,229,241,113,216,49,21,4,199,35,195,24,150,5,154,7,18,128,226,235,39,178,117,9,131,
44,26,27,110,90,160,82,59,214,179,41,227,47,132,83,209,0,237,32,252,177,91,106,203,190,57,74,76,88,207,208,239,170,251,67,
77,51,133,69,249,2,127,80,60,159,168,81,163,64,143,146,157,56,245,188,182,218,33,16,255,243,210,205,12,19,236,95,151,68,
23,196,167,126,61,100,93,25,115,96,129,79,220,34,42,144,136,70,238,184,20,222,94,11,219,224,50,58,10,73,6,36,92,194,211,
172,98,145,149,228,121,231,200,55,109,141,213,78,169,108,86,244,234,101,122,174,8,186,120,37,46,28,166,180,198,232,221,116,
31,75,189,139,138,112,62,181,102,72,3,246,14,97,53,87,185,134,193,29,158,225,248,152,17,105,217,142,148,155,30,135,233,206,
85,40,223,140,161,137,13,191,230,66,104,65,153,45,15,176,84,187,22],Si=[82,9,106,213,48,54,165,56,191,64,163,158,129,243,
215,251,124,227,57,130,155,47,255,135,52,142,67,68,196,222,233,203,84,123,148,50,166,194,35,61,238,76,149,11,66,250,195,
78,8,46,161,102,40,217,36,178,118,91,162,73,109,139,209,37,114,248,246,100,134,104,152,22,212,164,92,204,93,101,182,146,
108,112,72,80,253,237,185,218,94,21,70,87,167,141,157,132,144,216,171,0,140,188,211,10,247,228,88,5,184,179,69,6,208,44,
30,143,202,63,15,2,193,175,189,3,1,19,138,107,58,145,17,65,79,103,220,234,151,242,207,206,240,180,230,115,150,172,116,34,
231,173,53,133,226,249,55,232,28,117,223,110,71,241,26,113,29,41,197,137,111,183,98,14,170,24,190,27,252,86,62,75,198,210,
121,32,154,219,192,254,120,205,90,244,31,221,168,51,136,7,199,49,177,18,16,89,39,128,236,95,96,81,127,169,25,181,74,13,45,
229,122,159,147,201,156,239,160,224,59,77,174,42,245,176,200,235,187,60,131,83,153,97,23,43,4,126,186,119,214,38,225,105,
20,99,85,33,12,125],T1=[3328402341,4168907908,4000806809,4135287693,4294111757,3597364157,3731845041,2445657428,1613770832,
33620227,3462883241,1445669757,3892248089,3050821474,1303096294,3967186586,2412431941,528646813,2311702848,4202528135,4026202645,
2992200171,2387036105,4226871307,1101901292,3017069671,1604494077,1169141738,597466303,1403299063,3832705686,2613100635,
1974974402,3791519004,1033081774,1277568618,1815492186,2118074177,4126668546,2211236943,1748251740,1369810420,3521504564,
4193382664,3799085459,2883115123,1647391059,706024767,134480908,2512897874,1176707941,2646852446,806885416,932615841,168101135,
798661301,235341577,605164086,461406363,3756188221,3454790438,1311188841,2142417613,3933566367,302582043,495158174,1479289972,
874125870,907746093,3698224818,3025820398,1537253627,2756858614,1983593293,3084310113,2108928974,1378429307,3722699582,1580150641,
327451799,2790478837,3117535592,0,3253595436,1075847264,3825007647,2041688520,3059440621,3563743934,2378943302,1740553945,
1916352843,2487896798,2555137236,2958579944,2244988746,3151024235,3320835882,1336584933,3992714006,2252555205,2588757463,
1714631509,293963156,2319795663,3925473552,67240454,4269768577,2689618160,2017213508,631218106,1269344483,2723238387,1571005438,
2151694528,93294474,1066570413,563977660,1882732616,4059428100,1673313503,2008463041,2950355573,1109467491,537923632,3858759450,
4260623118,3218264685,2177748300,403442708,638784309,3287084079,3193921505,899127202,2286175436,773265209,2479146071,1437050866,
4236148354,2050833735,3362022572,3126681063,840505643,3866325909,3227541664,427917720,2655997905,2749160575,1143087718,1412049534,
999329963,193497219,2353415882,3354324521,1807268051,672404540,2816401017,3160301282,369822493,2916866934,3688947771,1681011286,
1949973070,336202270,2454276571,201721354,1210328172,3093060836,2680341085,3184776046,1135389935,3294782118,965841320,831886756,
3554993207,4068047243,3588745010,2345191491,1849112409,3664604599,26054028,2983581028,2622377682,1235855840,3630984372,2891339514,
4092916743,3488279077,3395642799,4101667470,1202630377,268961816,1874508501,4034427016,1243948399,1546530418,941366308,1470539505,
1941222599,2546386513,3421038627,2715671932,3899946140,1042226977,2521517021,1639824860,227249030,260737669,3765465232,2084453954,
1907733956,3429263018,2420656344,100860677,4160157185,470683154,3261161891,1781871967,2924959737,1773779408,394692241,2579611992,
974986535,664706745,3655459128,3958962195,731420851,571543859,3530123707,2849626480,126783113,865375399,765172662,1008606754,
361203602,3387549984,2278477385,2857719295,1344809080,2782912378,59542671,1503764984,160008576,437062935,1707065306,3622233649,
2218934982,3496503480,2185314755,697932208,1512910199,504303377,2075177163,2824099068,1841019862,739644986],T2=[2781242211,
2230877308,2582542199,2381740923,234877682,3184946027,2984144751,1418839493,1348481072,50462977,2848876391,2102799147,434634494,
1656084439,3863849899,2599188086,1167051466,2636087938,1082771913,2281340285,368048890,3954334041,3381544775,201060592,3963727277,
1739838676,4250903202,3930435503,3206782108,4149453988,2531553906,1536934080,3262494647,484572669,2923271059,1783375398,
1517041206,1098792767,49674231,1334037708,1550332980,4098991525,886171109,150598129,2481090929,1940642008,1398944049,1059722517,
201851908,1385547719,1699095331,1587397571,674240536,2704774806,252314885,3039795866,151914247,908333586,2602270848,1038082786,
651029483,1766729511,3447698098,2682942837,454166793,2652734339,1951935532,775166490,758520603,3000790638,4004797018,4217086112,
4137964114,1299594043,1639438038,3464344499,2068982057,1054729187,1901997871,2534638724,4121318227,1757008337,0,750906861,
1614815264,535035132,3363418545,3988151131,3201591914,1183697867,3647454910,1265776953,3734260298,3566750796,3903871064,
1250283471,1807470800,717615087,3847203498,384695291,3313910595,3617213773,1432761139,2484176261,3481945413,283769337,100925954,
2180939647,4037038160,1148730428,3123027871,3813386408,4087501137,4267549603,3229630528,2315620239,2906624658,3156319645,
1215313976,82966005,3747855548,3245848246,1974459098,1665278241,807407632,451280895,251524083,1841287890,1283575245,337120268,
891687699,801369324,3787349855,2721421207,3431482436,959321879,1469301956,4065699751,2197585534,1199193405,2898814052,3887750493,
724703513,2514908019,2696962144,2551808385,3516813135,2141445340,1715741218,2119445034,2872807568,2198571144,3398190662,
700968686,3547052216,1009259540,2041044702,3803995742,487983883,1991105499,1004265696,1449407026,1316239930,504629770,3683797321,
168560134,1816667172,3837287516,1570751170,1857934291,4014189740,2797888098,2822345105,2754712981,936633572,2347923833,852879335,
1133234376,1500395319,3084545389,2348912013,1689376213,3533459022,3762923945,3034082412,4205598294,133428468,634383082,2949277029,
2398386810,3913789102,403703816,3580869306,2297460856,1867130149,1918643758,607656988,4049053350,3346248884,1368901318,600565992,
2090982877,2632479860,557719327,3717614411,3697393085,2249034635,2232388234,2430627952,1115438654,3295786421,2865522278,
3633334344,84280067,33027830,303828494,2747425121,1600795957,4188952407,3496589753,2434238086,1486471617,658119965,3106381470,
953803233,334231800,3005978776,857870609,3151128937,1890179545,2298973838,2805175444,3056442267,574365214,2450884487,550103529,
1233637070,4289353045,2018519080,2057691103,2399374476,4166623649,2148108681,387583245,3664101311,836232934,3330556482,3100665960,
3280093505,2955516313,2002398509,287182607,3413881008,4238890068,3597515707,975967766],T3=[1671808611,2089089148,2006576759,
2072901243,4061003762,1807603307,1873927791,3310653893,810573872,16974337,1739181671,729634347,4263110654,3613570519,2883997099,
1989864566,3393556426,2191335298,3376449993,2106063485,4195741690,1508618841,1204391495,4027317232,2917941677,3563566036,
2734514082,2951366063,2629772188,2767672228,1922491506,3227229120,3082974647,4246528509,2477669779,644500518,911895606,1061256767,
4144166391,3427763148,878471220,2784252325,3845444069,4043897329,1905517169,3631459288,827548209,356461077,67897348,3344078279,
593839651,3277757891,405286936,2527147926,84871685,2595565466,118033927,305538066,2157648768,3795705826,3945188843,661212711,
2999812018,1973414517,152769033,2208177539,745822252,439235610,455947803,1857215598,1525593178,2700827552,1391895634,994932283,
3596728278,3016654259,695947817,3812548067,795958831,2224493444,1408607827,3513301457,0,3979133421,543178784,4229948412,
2982705585,1542305371,1790891114,3410398667,3201918910,961245753,1256100938,1289001036,1491644504,3477767631,3496721360,
4012557807,2867154858,4212583931,1137018435,1305975373,861234739,2241073541,1171229253,4178635257,33948674,2139225727,1357946960,
1011120188,2679776671,2833468328,1374921297,2751356323,1086357568,2408187279,2460827538,2646352285,944271416,4110742005,
3168756668,3066132406,3665145818,560153121,271589392,4279952895,4077846003,3530407890,3444343245,202643468,322250259,3962553324,
1608629855,2543990167,1154254916,389623319,3294073796,2817676711,2122513534,1028094525,1689045092,1575467613,422261273,1939203699,
1621147744,2174228865,1339137615,3699352540,577127458,712922154,2427141008,2290289544,1187679302,3995715566,3100863416,339486740,
3732514782,1591917662,186455563,3681988059,3762019296,844522546,978220090,169743370,1239126601,101321734,611076132,1558493276,
3260915650,3547250131,2901361580,1655096418,2443721105,2510565781,3828863972,2039214713,3878868455,3359869896,928607799,
1840765549,2374762893,3580146133,1322425422,2850048425,1823791212,1459268694,4094161908,3928346602,1706019429,2056189050,
2934523822,135794696,3134549946,2022240376,628050469,779246638,472135708,2800834470,3032970164,3327236038,3894660072,3715932637,
1956440180,522272287,1272813131,3185336765,2340818315,2323976074,1888542832,1044544574,3049550261,1722469478,1222152264,
50660867,4127324150,236067854,1638122081,895445557,1475980887,3117443513,2257655686,3243809217,489110045,2662934430,3778599393,
4162055160,2561878936,288563729,1773916777,3648039385,2391345038,2493985684,2612407707,505560094,2274497927,3911240169,3460925390,
1442818645,678973480,3749357023,2358182796,2717407649,2306869641,219617805,3218761151,3862026214,1120306242,1756942440,1103331905,
2578459033,762796589,252780047,2966125488,1425844308,3151392187,372911126],T4=[1667474886,2088535288,2004326894,2071694838,
4075949567,1802223062,1869591006,3318043793,808472672,16843522,1734846926,724270422,4278065639,3621216949,2880169549,1987484396,
3402253711,2189597983,3385409673,2105378810,4210693615,1499065266,1195886990,4042263547,2913856577,3570689971,2728590687,
2947541573,2627518243,2762274643,1920112356,3233831835,3082273397,4261223649,2475929149,640051788,909531756,1061110142,4160160501,
3435941763,875846760,2779116625,3857003729,4059105529,1903268834,3638064043,825316194,353713962,67374088,3351728789,589522246,
3284360861,404236336,2526454071,84217610,2593830191,117901582,303183396,2155911963,3806477791,3958056653,656894286,2998062463,
1970642922,151591698,2206440989,741110872,437923380,454765878,1852748508,1515908788,2694904667,1381168804,993742198,3604373943,
3014905469,690584402,3823320797,791638366,2223281939,1398011302,3520161977,0,3991743681,538992704,4244381667,2981218425,
1532751286,1785380564,3419096717,3200178535,960056178,1246420628,1280103576,1482221744,3486468741,3503319995,4025428677,
2863326543,4227536621,1128514950,1296947098,859002214,2240123921,1162203018,4193849577,33687044,2139062782,1347481760,1010582648,
2678045221,2829640523,1364325282,2745433693,1077985408,2408548869,2459086143,2644360225,943212656,4126475505,3166494563,
3065430391,3671750063,555836226,269496352,4294908645,4092792573,3537006015,3452783745,202118168,320025894,3974901699,1600119230,
2543297077,1145359496,387397934,3301201811,2812801621,2122220284,1027426170,1684319432,1566435258,421079858,1936954854,1616945344,
2172753945,1330631070,3705438115,572679748,707427924,2425400123,2290647819,1179044492,4008585671,3099120491,336870440,3739122087,
1583276732,185277718,3688593069,3772791771,842159716,976899700,168435220,1229577106,101059084,606366792,1549591736,3267517855,
3553849021,2897014595,1650632388,2442242105,2509612081,3840161747,2038008818,3890688725,3368567691,926374254,1835907034,
2374863873,3587531953,1313788572,2846482505,1819063512,1448540844,4109633523,3941213647,1701162954,2054852340,2930698567,
134748176,3132806511,2021165296,623210314,774795868,471606328,2795958615,3031746419,3334885783,3907527627,3722280097,1953799400,
522133822,1263263126,3183336545,2341176845,2324333839,1886425312,1044267644,3048588401,1718004428,1212733584,50529542,4143317495,
235803164,1633788866,892690282,1465383342,3115962473,2256965911,3250673817,488449850,2661202215,3789633753,4177007595,2560144171,
286339874,1768537042,3654906025,2391705863,2492770099,2610673197,505291324,2273808917,3924369609,3469625735,1431699370,673740880,
3755965093,2358021891,2711746649,2307489801,218961690,3217021541,3873845719,1111672452,1751693520,1094828930,2576986153,
757954394,252645662,2964376443,1414855848,3149649517,370555436],T5=[1374988112,2118214995,437757123,975658646,1001089995,
530400753,2902087851,1273168787,540080725,2910219766,2295101073,4110568485,1340463100,3307916247,641025152,3043140495,3736164937,
632953703,1172967064,1576976609,3274667266,2169303058,2370213795,1809054150,59727847,361929877,3211623147,2505202138,3569255213,
1484005843,1239443753,2395588676,1975683434,4102977912,2572697195,666464733,3202437046,4035489047,3374361702,2110667444,
1675577880,3843699074,2538681184,1649639237,2976151520,3144396420,4269907996,4178062228,1883793496,2403728665,2497604743,
1383856311,2876494627,1917518562,3810496343,1716890410,3001755655,800440835,2261089178,3543599269,807962610,599762354,33778362,
3977675356,2328828971,2809771154,4077384432,1315562145,1708848333,101039829,3509871135,3299278474,875451293,2733856160,92987698,
2767645557,193195065,1080094634,1584504582,3178106961,1042385657,2531067453,3711829422,1306967366,2438237621,1908694277,
67556463,1615861247,429456164,3602770327,2302690252,1742315127,2968011453,126454664,3877198648,2043211483,2709260871,2084704233,
4169408201,0,159417987,841739592,504459436,1817866830,4245618683,260388950,1034867998,908933415,168810852,1750902305,2606453969,
607530554,202008497,2472011535,3035535058,463180190,2160117071,1641816226,1517767529,470948374,3801332234,3231722213,1008918595,
303765277,235474187,4069246893,766945465,337553864,1475418501,2943682380,4003061179,2743034109,4144047775,1551037884,1147550661,
1543208500,2336434550,3408119516,3069049960,3102011747,3610369226,1113818384,328671808,2227573024,2236228733,3535486456,
2935566865,3341394285,496906059,3702665459,226906860,2009195472,733156972,2842737049,294930682,1206477858,2835123396,2700099354,
1451044056,573804783,2269728455,3644379585,2362090238,2564033334,2801107407,2776292904,3669462566,1068351396,742039012,1350078989,
1784663195,1417561698,4136440770,2430122216,775550814,2193862645,2673705150,1775276924,1876241833,3475313331,3366754619,
270040487,3902563182,3678124923,3441850377,1851332852,3969562369,2203032232,3868552805,2868897406,566021896,4011190502,3135740889,
1248802510,3936291284,699432150,832877231,708780849,3332740144,899835584,1951317047,4236429990,3767586992,866637845,4043610186,
1106041591,2144161806,395441711,1984812685,1139781709,3433712980,3835036895,2664543715,1282050075,3240894392,1181045119,
2640243204,25965917,4203181171,4211818798,3009879386,2463879762,3910161971,1842759443,2597806476,933301370,1509430414,3943906441,
3467192302,3076639029,3776767469,2051518780,2631065433,1441952575,404016761,1942435775,1408749034,1610459739,3745345300,
2017778566,3400528769,3110650942,941896748,3265478751,371049330,3168937228,675039627,4279080257,967311729,135050206,3635733660,
1683407248,2076935265,3576870512,1215061108,3501741890],T6=[1347548327,1400783205,3273267108,2520393566,3409685355,4045380933,
2880240216,2471224067,1428173050,4138563181,2441661558,636813900,4233094615,3620022987,2149987652,2411029155,1239331162,
1730525723,2554718734,3781033664,46346101,310463728,2743944855,3328955385,3875770207,2501218972,3955191162,3667219033,768917123,
3545789473,692707433,1150208456,1786102409,2029293177,1805211710,3710368113,3065962831,401639597,1724457132,3028143674,409198410,
2196052529,1620529459,1164071807,3769721975,2226875310,486441376,2499348523,1483753576,428819965,2274680428,3075636216,598438867,
3799141122,1474502543,711349675,129166120,53458370,2592523643,2782082824,4063242375,2988687269,3120694122,1559041666,730517276,
2460449204,4042459122,2706270690,3446004468,3573941694,533804130,2328143614,2637442643,2695033685,839224033,1973745387,957055980,
2856345839,106852767,1371368976,4181598602,1033297158,2933734917,1179510461,3046200461,91341917,1862534868,4284502037,605657339,
2547432937,3431546947,2003294622,3182487618,2282195339,954669403,3682191598,1201765386,3917234703,3388507166,0,2198438022,
1211247597,2887651696,1315723890,4227665663,1443857720,507358933,657861945,1678381017,560487590,3516619604,975451694,2970356327,
261314535,3535072918,2652609425,1333838021,2724322336,1767536459,370938394,182621114,3854606378,1128014560,487725847,185469197,
2918353863,3106780840,3356761769,2237133081,1286567175,3152976349,4255350624,2683765030,3160175349,3309594171,878443390,
1988838185,3704300486,1756818940,1673061617,3403100636,272786309,1075025698,545572369,2105887268,4174560061,296679730,1841768865,
1260232239,4091327024,3960309330,3497509347,1814803222,2578018489,4195456072,575138148,3299409036,446754879,3629546796,4011996048,
3347532110,3252238545,4270639778,915985419,3483825537,681933534,651868046,2755636671,3828103837,223377554,2607439820,1649704518,
3270937875,3901806776,1580087799,4118987695,3198115200,2087309459,2842678573,3016697106,1003007129,2802849917,1860738147,
2077965243,164439672,4100872472,32283319,2827177882,1709610350,2125135846,136428751,3874428392,3652904859,3460984630,3572145929,
3593056380,2939266226,824852259,818324884,3224740454,930369212,2801566410,2967507152,355706840,1257309336,4148292826,243256656,
790073846,2373340630,1296297904,1422699085,3756299780,3818836405,457992840,3099667487,2135319889,77422314,1560382517,1945798516,
788204353,1521706781,1385356242,870912086,325965383,2358957921,2050466060,2388260884,2313884476,4006521127,901210569,3990953189,
1014646705,1503449823,1062597235,2031621326,3212035895,3931371469,1533017514,350174575,2256028891,2177544179,1052338372,
741876788,1606591296,1914052035,213705253,2334669897,1107234197,1899603969,3725069491,2631447780,2422494913,1635502980,1893020342,
1950903388,1120974935],T7=[2807058932,1699970625,2764249623,1586903591,1808481195,1173430173,1487645946,59984867,4199882800,
1844882806,1989249228,1277555970,3623636965,3419915562,1149249077,2744104290,1514790577,459744698,244860394,3235995134,1963115311,
4027744588,2544078150,4190530515,1608975247,2627016082,2062270317,1507497298,2200818878,567498868,1764313568,3359936201,
2305455554,2037970062,1047239e3,1910319033,1337376481,2904027272,2892417312,984907214,1243112415,830661914,861968209,2135253587,
2011214180,2927934315,2686254721,731183368,1750626376,4246310725,1820824798,4172763771,3542330227,48394827,2404901663,2871682645,
671593195,3254988725,2073724613,145085239,2280796200,2779915199,1790575107,2187128086,472615631,3029510009,4075877127,3802222185,
4107101658,3201631749,1646252340,4270507174,1402811438,1436590835,3778151818,3950355702,3963161475,4020912224,2667994737,
273792366,2331590177,104699613,95345982,3175501286,2377486676,1560637892,3564045318,369057872,4213447064,3919042237,1137477952,
2658625497,1119727848,2340947849,1530455833,4007360968,172466556,266959938,516552836,0,2256734592,3980931627,1890328081,
1917742170,4294704398,945164165,3575528878,958871085,3647212047,2787207260,1423022939,775562294,1739656202,3876557655,2530391278,
2443058075,3310321856,547512796,1265195639,437656594,3121275539,719700128,3762502690,387781147,218828297,3350065803,2830708150,
2848461854,428169201,122466165,3720081049,1627235199,648017665,4122762354,1002783846,2117360635,695634755,3336358691,4234721005,
4049844452,3704280881,2232435299,574624663,287343814,612205898,1039717051,840019705,2708326185,793451934,821288114,1391201670,
3822090177,376187827,3113855344,1224348052,1679968233,2361698556,1058709744,752375421,2431590963,1321699145,3519142200,2734591178,
188127444,2177869557,3727205754,2384911031,3215212461,2648976442,2450346104,3432737375,1180849278,331544205,3102249176,4150144569,
2952102595,2159976285,2474404304,766078933,313773861,2570832044,2108100632,1668212892,3145456443,2013908262,418672217,3070356634,
2594734927,1852171925,3867060991,3473416636,3907448597,2614737639,919489135,164948639,2094410160,2997825956,590424639,2486224549,
1723872674,3157750862,3399941250,3501252752,3625268135,2555048196,3673637356,1343127501,4130281361,3599595085,2957853679,
1297403050,81781910,3051593425,2283490410,532201772,1367295589,3926170974,895287692,1953757831,1093597963,492483431,3528626907,
1446242576,1192455638,1636604631,209336225,344873464,1015671571,669961897,3375740769,3857572124,2973530695,3747192018,1933530610,
3464042516,935293895,3454686199,2858115069,1863638845,3683022916,4085369519,3292445032,875313188,1080017571,3279033885,621591778,
1233856572,2504130317,24197544,3017672716,3835484340,3247465558,2220981195,3060847922,1551124588,1463996600],T8=[4104605777,
1097159550,396673818,660510266,2875968315,2638606623,4200115116,3808662347,821712160,1986918061,3430322568,38544885,3856137295,
718002117,893681702,1654886325,2975484382,3122358053,3926825029,4274053469,796197571,1290801793,1184342925,3556361835,2405426947,
2459735317,1836772287,1381620373,3196267988,1948373848,3764988233,3385345166,3263785589,2390325492,1480485785,3111247143,
3780097726,2293045232,548169417,3459953789,3746175075,439452389,1362321559,1400849762,1685577905,1806599355,2174754046,137073913,
1214797936,1174215055,3731654548,2079897426,1943217067,1258480242,529487843,1437280870,3945269170,3049390895,3313212038,
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
2041877159,1891211689,1806599355,1654886325,1568718495,1418573201,1335535747,1184342925];function convertToInt32(bytes3){
for(var result=[],i=0;i<bytes3.length;i+=4)result.push(bytes3[i]<<24|bytes3[i+1]<<16|bytes3[i+2]<<8|bytes3[i+3]);return result}
__name(convertToInt32,"convertToInt32");var AES=__name(function(key){if(!(this instanceof AES))throw Error("AES must be \
instanitated with `new`");Object.defineProperty(this,"key",{value:coerceArray(key,!0)}),this._prepare()},"AES");AES.prototype.
_prepare=function(){var rounds=numberOfRounds[this.key.length];if(rounds==null)throw new Error("invalid key size (must b\
e 16, 24 or 32 bytes)");this._Ke=[],this._Kd=[];for(var i=0;i<=rounds;i++)this._Ke.push([0,0,0,0]),this._Kd.push([0,0,0,
0]);for(var roundKeyCount=(rounds+1)*4,KC=this.key.length/4,tk=convertToInt32(this.key),index,i=0;i<KC;i++)index=i>>2,this.
_Ke[index][i%4]=tk[i],this._Kd[rounds-index][i%4]=tk[i];for(var rconpointer=0,t=KC,tt;t<roundKeyCount;){if(tt=tk[KC-1],tk[0]^=
S[tt>>16&255]<<24^S[tt>>8&255]<<16^S[tt&255]<<8^S[tt>>24&255]^rcon[rconpointer]<<24,rconpointer+=1,KC!=8)for(var i=1;i<KC;i++)
tk[i]^=tk[i-1];else{for(var i=1;i<KC/2;i++)tk[i]^=tk[i-1];tt=tk[KC/2-1],tk[KC/2]^=S[tt&255]^S[tt>>8&255]<<8^S[tt>>16&255]<<
16^S[tt>>24&255]<<24;for(var i=KC/2+1;i<KC;i++)tk[i]^=tk[i-1]}for(var i=0,r2,c;i<KC&&t<roundKeyCount;)r2=t>>2,c=t%4,this.
_Ke[r2][c]=tk[i],this._Kd[rounds-r2][c]=tk[i++],t++}for(var r2=1;r2<rounds;r2++)for(var c=0;c<4;c++)tt=this._Kd[r2][c],this.
_Kd[r2][c]=U1[tt>>24&255]^U2[tt>>16&255]^U3[tt>>8&255]^U4[tt&255]},AES.prototype.encrypt=function(plaintext){if(plaintext.
length!=16)throw new Error("invalid plaintext size (must be 16 bytes)");for(var rounds=this._Ke.length-1,a=[0,0,0,0],t=convertToInt32(
plaintext),i=0;i<4;i++)t[i]^=this._Ke[0][i];for(var r2=1;r2<rounds;r2++){for(var i=0;i<4;i++)a[i]=T1[t[i]>>24&255]^T2[t[(i+
1)%4]>>16&255]^T3[t[(i+2)%4]>>8&255]^T4[t[(i+3)%4]&255]^this._Ke[r2][i];t=a.slice()}for(var result=createArray(16),tt,i=0;i<
4;i++)tt=this._Ke[rounds][i],result[4*i]=(S[t[i]>>24&255]^tt>>24)&255,result[4*i+1]=(S[t[(i+1)%4]>>16&255]^tt>>16)&255,result[4*
i+2]=(S[t[(i+2)%4]>>8&255]^tt>>8)&255,result[4*i+3]=(S[t[(i+3)%4]&255]^tt)&255;return result},AES.prototype.decrypt=function(ciphertext){
if(ciphertext.length!=16)throw new Error("invalid ciphertext size (must be 16 bytes)");for(var rounds=this._Kd.length-1,
a=[0,0,0,0],t=convertToInt32(ciphertext),i=0;i<4;i++)t[i]^=this._Kd[0][i];for(var r2=1;r2<rounds;r2++){for(var i=0;i<4;i++)
a[i]=T5[t[i]>>24&255]^T6[t[(i+3)%4]>>16&255]^T7[t[(i+2)%4]>>8&255]^T8[t[(i+1)%4]&255]^this._Kd[r2][i];t=a.slice()}for(var result=createArray(
16),tt,i=0;i<4;i++)tt=this._Kd[rounds][i],result[4*i]=(Si[t[i]>>24&255]^tt>>24)&255,result[4*i+1]=(Si[t[(i+3)%4]>>16&255]^
tt>>16)&255,result[4*i+2]=(Si[t[(i+2)%4]>>8&255]^tt>>8)&255,result[4*i+3]=(Si[t[(i+1)%4]&255]^tt)&255;return result};var ModeOfOperationECB=__name(
function(key){if(!(this instanceof ModeOfOperationECB))throw Error("AES must be instanitated with `new`");this.description=
"Electronic Code Block",this.name="ecb",this._aes=new AES(key)},"ModeOfOperationECB");ModeOfOperationECB.prototype.encrypt=
function(plaintext){if(plaintext=coerceArray(plaintext),plaintext.length%16!==0)throw new Error("invalid plaintext size \
(must be multiple of 16 bytes)");for(var ciphertext=createArray(plaintext.length),block=createArray(16),i=0;i<plaintext.
length;i+=16)copyArray(plaintext,block,0,i,i+16),block=this._aes.encrypt(block),copyArray(block,ciphertext,i);return ciphertext},
ModeOfOperationECB.prototype.decrypt=function(ciphertext){if(ciphertext=coerceArray(ciphertext),ciphertext.length%16!==0)
throw new Error("invalid ciphertext size (must be multiple of 16 bytes)");for(var plaintext=createArray(ciphertext.length),
block=createArray(16),i=0;i<ciphertext.length;i+=16)copyArray(ciphertext,block,0,i,i+16),block=this._aes.decrypt(block),
copyArray(block,plaintext,i);return plaintext};var ModeOfOperationCBC=__name(function(key,iv){if(!(this instanceof ModeOfOperationCBC))
throw Error("AES must be instanitated with `new`");if(this.description="Cipher Block Chaining",this.name="cbc",!iv)iv=createArray(
16);else if(iv.length!=16)throw new Error("invalid initialation vector size (must be 16 bytes)");this._lastCipherblock=coerceArray(
iv,!0),this._aes=new AES(key)},"ModeOfOperationCBC");ModeOfOperationCBC.prototype.encrypt=function(plaintext){if(plaintext=
coerceArray(plaintext),plaintext.length%16!==0)throw new Error("invalid plaintext size (must be multiple of 16 bytes)");
for(var ciphertext=createArray(plaintext.length),block=createArray(16),i=0;i<plaintext.length;i+=16){copyArray(plaintext,
block,0,i,i+16);for(var j=0;j<16;j++)block[j]^=this._lastCipherblock[j];this._lastCipherblock=this._aes.encrypt(block),copyArray(
this._lastCipherblock,ciphertext,i)}return ciphertext},ModeOfOperationCBC.prototype.decrypt=function(ciphertext){if(ciphertext=
coerceArray(ciphertext),ciphertext.length%16!==0)throw new Error("invalid ciphertext size (must be multiple of 16 bytes)");
for(var plaintext=createArray(ciphertext.length),block=createArray(16),i=0;i<ciphertext.length;i+=16){copyArray(ciphertext,
block,0,i,i+16),block=this._aes.decrypt(block);for(var j=0;j<16;j++)plaintext[i+j]=block[j]^this._lastCipherblock[j];copyArray(
ciphertext,this._lastCipherblock,0,i,i+16)}return plaintext};var ModeOfOperationCFB=__name(function(key,iv,segmentSize){
if(!(this instanceof ModeOfOperationCFB))throw Error("AES must be instanitated with `new`");if(this.description="Cipher \
Feedback",this.name="cfb",!iv)iv=createArray(16);else if(iv.length!=16)throw new Error("invalid initialation vector size\
 (must be 16 size)");segmentSize||(segmentSize=1),this.segmentSize=segmentSize,this._shiftRegister=coerceArray(iv,!0),this.
_aes=new AES(key)},"ModeOfOperationCFB");ModeOfOperationCFB.prototype.encrypt=function(plaintext){if(plaintext.length%this.
segmentSize!=0)throw new Error("invalid plaintext size (must be segmentSize bytes)");for(var encrypted=coerceArray(plaintext,
!0),xorSegment,i=0;i<encrypted.length;i+=this.segmentSize){xorSegment=this._aes.encrypt(this._shiftRegister);for(var j=0;j<
this.segmentSize;j++)encrypted[i+j]^=xorSegment[j];copyArray(this._shiftRegister,this._shiftRegister,0,this.segmentSize),
copyArray(encrypted,this._shiftRegister,16-this.segmentSize,i,i+this.segmentSize)}return encrypted},ModeOfOperationCFB.prototype.
decrypt=function(ciphertext){if(ciphertext.length%this.segmentSize!=0)throw new Error("invalid ciphertext size (must be \
segmentSize bytes)");for(var plaintext=coerceArray(ciphertext,!0),xorSegment,i=0;i<plaintext.length;i+=this.segmentSize){
xorSegment=this._aes.encrypt(this._shiftRegister);for(var j=0;j<this.segmentSize;j++)plaintext[i+j]^=xorSegment[j];copyArray(
this._shiftRegister,this._shiftRegister,0,this.segmentSize),copyArray(ciphertext,this._shiftRegister,16-this.segmentSize,
i,i+this.segmentSize)}return plaintext};var ModeOfOperationOFB=__name(function(key,iv){if(!(this instanceof ModeOfOperationOFB))
throw Error("AES must be instanitated with `new`");if(this.description="Output Feedback",this.name="ofb",!iv)iv=createArray(
16);else if(iv.length!=16)throw new Error("invalid initialation vector size (must be 16 bytes)");this._lastPrecipher=coerceArray(
iv,!0),this._lastPrecipherIndex=16,this._aes=new AES(key)},"ModeOfOperationOFB");ModeOfOperationOFB.prototype.encrypt=function(plaintext){
for(var encrypted=coerceArray(plaintext,!0),i=0;i<encrypted.length;i++)this._lastPrecipherIndex===16&&(this._lastPrecipher=
this._aes.encrypt(this._lastPrecipher),this._lastPrecipherIndex=0),encrypted[i]^=this._lastPrecipher[this._lastPrecipherIndex++];
return encrypted},ModeOfOperationOFB.prototype.decrypt=ModeOfOperationOFB.prototype.encrypt;var Counter=__name(function(initialValue){
if(!(this instanceof Counter))throw Error("Counter must be instanitated with `new`");initialValue!==0&&!initialValue&&(initialValue=
1),typeof initialValue=="number"?(this._counter=createArray(16),this.setValue(initialValue)):this.setBytes(initialValue)},
"Counter");Counter.prototype.setValue=function(value){if(typeof value!="number"||parseInt(value)!=value)throw new Error(
"invalid counter value (must be an integer)");for(var index=15;index>=0;--index)this._counter[index]=value%256,value=value>>
8},Counter.prototype.setBytes=function(bytes3){if(bytes3=coerceArray(bytes3,!0),bytes3.length!=16)throw new Error("inval\
id counter bytes size (must be 16 bytes)");this._counter=bytes3},Counter.prototype.increment=function(){for(var i=15;i>=
0;i--)if(this._counter[i]===255)this._counter[i]=0;else{this._counter[i]++;break}};var ModeOfOperationCTR=__name(function(key,counter){
if(!(this instanceof ModeOfOperationCTR))throw Error("AES must be instanitated with `new`");this.description="Counter",this.
name="ctr",counter instanceof Counter||(counter=new Counter(counter)),this._counter=counter,this._remainingCounter=null,
this._remainingCounterIndex=16,this._aes=new AES(key)},"ModeOfOperationCTR");ModeOfOperationCTR.prototype.encrypt=function(plaintext){
for(var encrypted=coerceArray(plaintext,!0),i=0;i<encrypted.length;i++)this._remainingCounterIndex===16&&(this._remainingCounter=
this._aes.encrypt(this._counter._counter),this._remainingCounterIndex=0,this._counter.increment()),encrypted[i]^=this._remainingCounter[this.
_remainingCounterIndex++];return encrypted},ModeOfOperationCTR.prototype.decrypt=ModeOfOperationCTR.prototype.encrypt;function pkcs7pad(data){
data=coerceArray(data,!0);var padder=16-data.length%16,result=createArray(data.length+padder);copyArray(data,result);for(var i=data.
length;i<result.length;i++)result[i]=padder;return result}__name(pkcs7pad,"pkcs7pad");function pkcs7strip(data){if(data=
coerceArray(data,!0),data.length<16)throw new Error("PKCS#7 invalid length");var padder=data[data.length-1];if(padder>16)
throw new Error("PKCS#7 padding byte out of range");for(var length=data.length-padder,i=0;i<padder;i++)if(data[length+i]!==
padder)throw new Error("PKCS#7 invalid padding byte");var result=createArray(length);return copyArray(data,result,0,0,length),
result}__name(pkcs7strip,"pkcs7strip");var aesjs={AES,Counter,ModeOfOperation:{ecb:ModeOfOperationECB,cbc:ModeOfOperationCBC,
cfb:ModeOfOperationCFB,ofb:ModeOfOperationOFB,ctr:ModeOfOperationCTR},utils:{hex:convertHex,utf8:convertUtf8},padding:{pkcs7:{
pad:pkcs7pad,strip:pkcs7strip}},_arrayTest:{coerceArray,createArray,copyArray}};typeof exports<"u"?module.exports=aesjs:
typeof define=="function"&&define.amd?define(aesjs):(root.aesjs&&(aesjs._aesjs=root.aesjs),root.aesjs=aesjs)})(exports)}});var require_scrypt=__commonJS({"../../../node_modules/scrypt-js/scrypt.js"(exports,module){"use strict";(function(root){
function SHA256(m){let K=new Uint32Array([1116352408,1899447441,3049323471,3921009573,961987163,1508970993,2453635748,2870763221,
3624381080,310598401,607225278,1426881987,1925078388,2162078206,2614888103,3248222580,3835390401,4022224774,264347078,604807628,
770255983,1249150122,1555081692,1996064986,2554220882,2821834349,2952996808,3210313671,3336571891,3584528711,113926993,338241895,
666307205,773529912,1294757372,1396182291,1695183700,1986661051,2177026350,2456956037,2730485921,2820302411,3259730800,3345764771,
3516065817,3600352804,4094571909,275423344,430227734,506948616,659060556,883997877,958139571,1322822218,1537002063,1747873779,
1955562222,2024104815,2227730452,2361852424,2428436474,2756734187,3204031479,3329325298]),h0=1779033703,h1=3144134277,h2=1013904242,
h3=2773480762,h4=1359893119,h5=2600822924,h6=528734635,h7=1541459225,w=new Uint32Array(64);function blocks(p2){let off=0,
len=p2.length;for(;len>=64;){let a=h0,b=h1,c=h2,d=h3,e=h4,f2=h5,g=h6,h=h7,u,i2,j,t1,t2;for(i2=0;i2<16;i2++)j=off+i2*4,w[i2]=
(p2[j]&255)<<24|(p2[j+1]&255)<<16|(p2[j+2]&255)<<8|p2[j+3]&255;for(i2=16;i2<64;i2++)u=w[i2-2],t1=(u>>>17|u<<15)^(u>>>19|
u<<13)^u>>>10,u=w[i2-15],t2=(u>>>7|u<<25)^(u>>>18|u<<14)^u>>>3,w[i2]=(t1+w[i2-7]|0)+(t2+w[i2-16]|0)|0;for(i2=0;i2<64;i2++)
t1=(((e>>>6|e<<26)^(e>>>11|e<<21)^(e>>>25|e<<7))+(e&f2^~e&g)|0)+(h+(K[i2]+w[i2]|0)|0)|0,t2=((a>>>2|a<<30)^(a>>>13|a<<19)^
(a>>>22|a<<10))+(a&b^a&c^b&c)|0,h=g,g=f2,f2=e,e=d+t1|0,d=c,c=b,b=a,a=t1+t2|0;h0=h0+a|0,h1=h1+b|0,h2=h2+c|0,h3=h3+d|0,h4=
h4+e|0,h5=h5+f2|0,h6=h6+g|0,h7=h7+h|0,off+=64,len-=64}}__name(blocks,"blocks"),blocks(m);let i,bytesLeft=m.length%64,bitLenHi=m.
length/536870912|0,bitLenLo=m.length<<3,numZeros=bytesLeft<56?56:120,p=m.slice(m.length-bytesLeft,m.length);for(p.push(128),
i=bytesLeft+1;i<numZeros;i++)p.push(0);return p.push(bitLenHi>>>24&255),p.push(bitLenHi>>>16&255),p.push(bitLenHi>>>8&255),
p.push(bitLenHi>>>0&255),p.push(bitLenLo>>>24&255),p.push(bitLenLo>>>16&255),p.push(bitLenLo>>>8&255),p.push(bitLenLo>>>
0&255),blocks(p),[h0>>>24&255,h0>>>16&255,h0>>>8&255,h0>>>0&255,h1>>>24&255,h1>>>16&255,h1>>>8&255,h1>>>0&255,h2>>>24&255,
h2>>>16&255,h2>>>8&255,h2>>>0&255,h3>>>24&255,h3>>>16&255,h3>>>8&255,h3>>>0&255,h4>>>24&255,h4>>>16&255,h4>>>8&255,h4>>>
0&255,h5>>>24&255,h5>>>16&255,h5>>>8&255,h5>>>0&255,h6>>>24&255,h6>>>16&255,h6>>>8&255,h6>>>0&255,h7>>>24&255,h7>>>16&255,
h7>>>8&255,h7>>>0&255]}__name(SHA256,"SHA256");function PBKDF2_HMAC_SHA256_OneIter(password,salt,dkLen){password=password.
length<=64?password:SHA256(password);let innerLen=64+salt.length+4,inner=new Array(innerLen),outerKey=new Array(64),i,dk=[];
for(i=0;i<64;i++)inner[i]=54;for(i=0;i<password.length;i++)inner[i]^=password[i];for(i=0;i<salt.length;i++)inner[64+i]=salt[i];
for(i=innerLen-4;i<innerLen;i++)inner[i]=0;for(i=0;i<64;i++)outerKey[i]=92;for(i=0;i<password.length;i++)outerKey[i]^=password[i];
function incrementCounter(){for(let i2=innerLen-1;i2>=innerLen-4;i2--){if(inner[i2]++,inner[i2]<=255)return;inner[i2]=0}}
for(__name(incrementCounter,"incrementCounter");dkLen>=32;)incrementCounter(),dk=dk.concat(SHA256(outerKey.concat(SHA256(
inner)))),dkLen-=32;return dkLen>0&&(incrementCounter(),dk=dk.concat(SHA256(outerKey.concat(SHA256(inner))).slice(0,dkLen))),
dk}__name(PBKDF2_HMAC_SHA256_OneIter,"PBKDF2_HMAC_SHA256_OneIter");function blockmix_salsa8(BY,Yi,r2,x,_X){let i;for(arraycopy(
BY,(2*r2-1)*16,_X,0,16),i=0;i<2*r2;i++)blockxor(BY,i*16,_X,16),salsa20_8(_X,x),arraycopy(_X,0,BY,Yi+i*16,16);for(i=0;i<r2;i++)
arraycopy(BY,Yi+i*2*16,BY,i*16,16);for(i=0;i<r2;i++)arraycopy(BY,Yi+(i*2+1)*16,BY,(i+r2)*16,16)}__name(blockmix_salsa8,"\
blockmix_salsa8");function R(a,b){return a<<b|a>>>32-b}__name(R,"R");function salsa20_8(B,x){arraycopy(B,0,x,0,16);for(let i=8;i>
0;i-=2)x[4]^=R(x[0]+x[12],7),x[8]^=R(x[4]+x[0],9),x[12]^=R(x[8]+x[4],13),x[0]^=R(x[12]+x[8],18),x[9]^=R(x[5]+x[1],7),x[13]^=
R(x[9]+x[5],9),x[1]^=R(x[13]+x[9],13),x[5]^=R(x[1]+x[13],18),x[14]^=R(x[10]+x[6],7),x[2]^=R(x[14]+x[10],9),x[6]^=R(x[2]+
x[14],13),x[10]^=R(x[6]+x[2],18),x[3]^=R(x[15]+x[11],7),x[7]^=R(x[3]+x[15],9),x[11]^=R(x[7]+x[3],13),x[15]^=R(x[11]+x[7],
18),x[1]^=R(x[0]+x[3],7),x[2]^=R(x[1]+x[0],9),x[3]^=R(x[2]+x[1],13),x[0]^=R(x[3]+x[2],18),x[6]^=R(x[5]+x[4],7),x[7]^=R(x[6]+
x[5],9),x[4]^=R(x[7]+x[6],13),x[5]^=R(x[4]+x[7],18),x[11]^=R(x[10]+x[9],7),x[8]^=R(x[11]+x[10],9),x[9]^=R(x[8]+x[11],13),
x[10]^=R(x[9]+x[8],18),x[12]^=R(x[15]+x[14],7),x[13]^=R(x[12]+x[15],9),x[14]^=R(x[13]+x[12],13),x[15]^=R(x[14]+x[13],18);
for(let i=0;i<16;++i)B[i]+=x[i]}__name(salsa20_8,"salsa20_8");function blockxor(S,Si,D,len){for(let i=0;i<len;i++)D[i]^=
S[Si+i]}__name(blockxor,"blockxor");function arraycopy(src,srcPos,dest,destPos,length){for(;length--;)dest[destPos++]=src[srcPos++]}
__name(arraycopy,"arraycopy");function checkBufferish(o){if(!o||typeof o.length!="number")return!1;for(let i=0;i<o.length;i++){
let v=o[i];if(typeof v!="number"||v%1||v<0||v>=256)return!1}return!0}__name(checkBufferish,"checkBufferish");function ensureInteger(value,name){
if(typeof value!="number"||value%1)throw new Error("invalid "+name);return value}__name(ensureInteger,"ensureInteger");function _scrypt(password,salt,N2,r2,p,dkLen,callback){
if(N2=ensureInteger(N2,"N"),r2=ensureInteger(r2,"r"),p=ensureInteger(p,"p"),dkLen=ensureInteger(dkLen,"dkLen"),N2===0||(N2&
N2-1)!==0)throw new Error("N must be power of 2");if(N2>2147483647/128/r2)throw new Error("N too large");if(r2>2147483647/
128/p)throw new Error("r too large");if(!checkBufferish(password))throw new Error("password must be an array or buffer");
if(password=Array.prototype.slice.call(password),!checkBufferish(salt))throw new Error("salt must be an array or buffer");
salt=Array.prototype.slice.call(salt);let b=PBKDF2_HMAC_SHA256_OneIter(password,salt,p*128*r2),B=new Uint32Array(p*32*r2);
for(let i=0;i<B.length;i++){let j=i*4;B[i]=(b[j+3]&255)<<24|(b[j+2]&255)<<16|(b[j+1]&255)<<8|(b[j+0]&255)<<0}let XY=new Uint32Array(
64*r2),V=new Uint32Array(32*r2*N2),Yi=32*r2,x=new Uint32Array(16),_X=new Uint32Array(16),totalOps=p*N2*2,currentOp=0,lastPercent10=null,
stop=!1,state=0,i0=0,i1,Bi,limit=callback?parseInt(1e3/r2):4294967295,nextTick=typeof setImmediate<"u"?setImmediate:setTimeout,
incrementalSMix=__name(function(){if(stop)return callback(new Error("cancelled"),currentOp/totalOps);let steps;switch(state){case 0:
Bi=i0*32*r2,arraycopy(B,Bi,XY,0,Yi),state=1,i1=0;case 1:steps=N2-i1,steps>limit&&(steps=limit);for(let i=0;i<steps;i++)arraycopy(
XY,0,V,(i1+i)*Yi,Yi),blockmix_salsa8(XY,Yi,r2,x,_X);if(i1+=steps,currentOp+=steps,callback){let percent10=parseInt(1e3*currentOp/
totalOps);if(percent10!==lastPercent10){if(stop=callback(null,currentOp/totalOps),stop)break;lastPercent10=percent10}}if(i1<
N2)break;i1=0,state=2;case 2:steps=N2-i1,steps>limit&&(steps=limit);for(let i=0;i<steps;i++){let offset=(2*r2-1)*16,j=XY[offset]&
N2-1;blockxor(V,j*Yi,XY,Yi),blockmix_salsa8(XY,Yi,r2,x,_X)}if(i1+=steps,currentOp+=steps,callback){let percent10=parseInt(
1e3*currentOp/totalOps);if(percent10!==lastPercent10){if(stop=callback(null,currentOp/totalOps),stop)break;lastPercent10=
percent10}}if(i1<N2)break;if(arraycopy(XY,0,B,Bi,Yi),i0++,i0<p){state=0;break}b=[];for(let i=0;i<B.length;i++)b.push(B[i]>>
0&255),b.push(B[i]>>8&255),b.push(B[i]>>16&255),b.push(B[i]>>24&255);let derivedKey=PBKDF2_HMAC_SHA256_OneIter(password,
b,dkLen);return callback&&callback(null,1,derivedKey),derivedKey}callback&&nextTick(incrementalSMix)},"incrementalSMix");
if(!callback)for(;;){let derivedKey=incrementalSMix();if(derivedKey!=null)return derivedKey}incrementalSMix()}__name(_scrypt,
"_scrypt");let lib={scrypt:__name(function(password,salt,N2,r2,p,dkLen,progressCallback){return new Promise(function(resolve,reject){
let lastProgress=0;progressCallback&&progressCallback(0),_scrypt(password,salt,N2,r2,p,dkLen,function(error,progress,key){
if(error)reject(error);else if(key)progressCallback&&lastProgress!==1&&progressCallback(1),resolve(new Uint8Array(key));else if(progressCallback&&
progress!==lastProgress)return lastProgress=progress,progressCallback(progress)})})},"scrypt"),syncScrypt:__name(function(password,salt,N2,r2,p,dkLen){
return new Uint8Array(_scrypt(password,salt,N2,r2,p,dkLen))},"syncScrypt")};typeof exports<"u"?module.exports=lib:typeof define==
"function"&&define.amd?define(lib):root&&(root.scrypt&&(root._scrypt=root.scrypt),root.scrypt=lib)})(exports)}});var require_bech32=__commonJS({"../../../node_modules/bech32/index.js"(exports,module){"use strict";var ALPHABET="qpzry9\
x8gf2tvdw0s3jn54khce6mua7l",ALPHABET_MAP={};for(z=0;z<ALPHABET.length;z++){if(x=ALPHABET.charAt(z),ALPHABET_MAP[x]!==void 0)
throw new TypeError(x+" is ambiguous");ALPHABET_MAP[x]=z}var x,z;function polymodStep(pre){var b=pre>>25;return(pre&33554431)<<
5^-(b>>0&1)&996825010^-(b>>1&1)&642813549^-(b>>2&1)&513874426^-(b>>3&1)&1027748829^-(b>>4&1)&705979059}__name(polymodStep,
"polymodStep");function prefixChk(prefix){for(var chk=1,i=0;i<prefix.length;++i){var c=prefix.charCodeAt(i);if(c<33||c>126)
return"Invalid prefix ("+prefix+")";chk=polymodStep(chk)^c>>5}for(chk=polymodStep(chk),i=0;i<prefix.length;++i){var v=prefix.
charCodeAt(i);chk=polymodStep(chk)^v&31}return chk}__name(prefixChk,"prefixChk");function encode3(prefix,words2,LIMIT){if(LIMIT=
LIMIT||90,prefix.length+7+words2.length>LIMIT)throw new TypeError("Exceeds length limit");prefix=prefix.toLowerCase();var chk=prefixChk(
prefix);if(typeof chk=="string")throw new Error(chk);for(var result=prefix+"1",i=0;i<words2.length;++i){var x2=words2[i];
if(x2>>5!==0)throw new Error("Non 5-bit word");chk=polymodStep(chk)^x2,result+=ALPHABET.charAt(x2)}for(i=0;i<6;++i)chk=polymodStep(
chk);for(chk^=1,i=0;i<6;++i){var v=chk>>(5-i)*5&31;result+=ALPHABET.charAt(v)}return result}__name(encode3,"encode");function __decode(str,LIMIT){
if(LIMIT=LIMIT||90,str.length<8)return str+" too short";if(str.length>LIMIT)return"Exceeds length limit";var lowered=str.
toLowerCase(),uppered=str.toUpperCase();if(str!==lowered&&str!==uppered)return"Mixed-case string "+str;str=lowered;var split=str.
lastIndexOf("1");if(split===-1)return"No separator character for "+str;if(split===0)return"Missing prefix for "+str;var prefix=str.
slice(0,split),wordChars=str.slice(split+1);if(wordChars.length<6)return"Data too short";var chk=prefixChk(prefix);if(typeof chk==
"string")return chk;for(var words2=[],i=0;i<wordChars.length;++i){var c=wordChars.charAt(i),v=ALPHABET_MAP[c];if(v===void 0)
return"Unknown character "+c;chk=polymodStep(chk)^v,!(i+6>=wordChars.length)&&words2.push(v)}return chk!==1?"Invalid che\
cksum for "+str:{prefix,words:words2}}__name(__decode,"__decode");function decodeUnsafe(){var res=__decode.apply(null,arguments);
if(typeof res=="object")return res}__name(decodeUnsafe,"decodeUnsafe");function decode3(str){var res=__decode.apply(null,
arguments);if(typeof res=="object")return res;throw new Error(res)}__name(decode3,"decode");function convert(data,inBits,outBits,pad){
for(var value=0,bits=0,maxV=(1<<outBits)-1,result=[],i=0;i<data.length;++i)for(value=value<<inBits|data[i],bits+=inBits;bits>=
outBits;)bits-=outBits,result.push(value>>bits&maxV);if(pad)bits>0&&result.push(value<<outBits-bits&maxV);else{if(bits>=
inBits)return"Excess padding";if(value<<outBits-bits&maxV)return"Non-zero padding"}return result}__name(convert,"convert");
function toWordsUnsafe(bytes3){var res=convert(bytes3,8,5,!0);if(Array.isArray(res))return res}__name(toWordsUnsafe,"toW\
ordsUnsafe");function toWords(bytes3){var res=convert(bytes3,8,5,!0);if(Array.isArray(res))return res;throw new Error(res)}
__name(toWords,"toWords");function fromWordsUnsafe(words2){var res=convert(words2,5,8,!1);if(Array.isArray(res))return res}
__name(fromWordsUnsafe,"fromWordsUnsafe");function fromWords(words2){var res=convert(words2,5,8,!1);if(Array.isArray(res))
return res;throw new Error(res)}__name(fromWords,"fromWords");module.exports={decodeUnsafe,decode:decode3,encode:encode3,
toWordsUnsafe,toWords,fromWordsUnsafe,fromWords}}});var stdin_exports={};__export(stdin_exports,{BaseContract:()=>BaseContract,BigNumber:()=>BigNumber,Contract:()=>Contract,
ContractFactory:()=>ContractFactory,FixedNumber:()=>FixedNumber,Signer:()=>Signer,VoidSigner:()=>VoidSigner,Wallet:()=>Wallet,
Wordlist:()=>Wordlist,constants:()=>lib_exports2,errors:()=>ErrorCode,ethers:()=>ethers_exports,getDefaultProvider:()=>getDefaultProvider,
logger:()=>logger46,providers:()=>lib_exports4,utils:()=>utils_exports,version:()=>version25,wordlists:()=>wordlists});var ethers_exports={};__export(ethers_exports,{BaseContract:()=>BaseContract,BigNumber:()=>BigNumber,Contract:()=>Contract,
ContractFactory:()=>ContractFactory,FixedNumber:()=>FixedNumber,Signer:()=>Signer,VoidSigner:()=>VoidSigner,Wallet:()=>Wallet,
Wordlist:()=>Wordlist,constants:()=>lib_exports2,errors:()=>ErrorCode,getDefaultProvider:()=>getDefaultProvider,logger:()=>logger46,
providers:()=>lib_exports4,utils:()=>utils_exports,version:()=>version25,wordlists:()=>wordlists});init_lib3();init_lib();var version4="properties/5.7.0";var __awaiter=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger4=new Logger(version4);function defineReadOnly(object,name,value){Object.defineProperty(object,name,{enumerable:!0,
value,writable:!1})}__name(defineReadOnly,"defineReadOnly");function getStatic(ctor,key){for(let i=0;i<32;i++){if(ctor[key])
return ctor[key];if(!ctor.prototype||typeof ctor.prototype!="object")break;ctor=Object.getPrototypeOf(ctor.prototype).constructor}
return null}__name(getStatic,"getStatic");function resolveProperties(object){return __awaiter(this,void 0,void 0,function*(){
let promises=Object.keys(object).map(key=>{let value=object[key];return Promise.resolve(value).then(v=>({key,value:v}))});
return(yield Promise.all(promises)).reduce((accum,result)=>(accum[result.key]=result.value,accum),{})})}__name(resolveProperties,
"resolveProperties");function checkProperties(object,properties){(!object||typeof object!="object")&&logger4.throwArgumentError(
"invalid object","object",object),Object.keys(object).forEach(key=>{properties[key]||logger4.throwArgumentError("invalid\
 object key - "+key,"transaction:"+key,object)})}__name(checkProperties,"checkProperties");function shallowCopy(object){
let result={};for(let key in object)result[key]=object[key];return result}__name(shallowCopy,"shallowCopy");var opaque={
bigint:!0,boolean:!0,function:!0,number:!0,string:!0};function _isFrozen(object){if(object==null||opaque[typeof object])
return!0;if(Array.isArray(object)||typeof object=="object"){if(!Object.isFrozen(object))return!1;let keys=Object.keys(object);
for(let i=0;i<keys.length;i++){let value=null;try{value=object[keys[i]]}catch{continue}if(!_isFrozen(value))return!1}return!0}
return logger4.throwArgumentError(`Cannot deepCopy ${typeof object}`,"object",object)}__name(_isFrozen,"_isFrozen");function _deepCopy(object){
if(_isFrozen(object))return object;if(Array.isArray(object))return Object.freeze(object.map(item=>deepCopy(item)));if(typeof object==
"object"){let result={};for(let key in object){let value=object[key];value!==void 0&&defineReadOnly(result,key,deepCopy(
value))}return result}return logger4.throwArgumentError(`Cannot deepCopy ${typeof object}`,"object",object)}__name(_deepCopy,
"_deepCopy");function deepCopy(object){return _deepCopy(object)}__name(deepCopy,"deepCopy");var Description=class{static{
__name(this,"Description")}constructor(info){for(let key in info)this[key]=deepCopy(info[key])}};init_lib();var version5="abi/5.7.0";var logger5=new Logger(version5),_constructorGuard3={},ModifiersBytes={calldata:!0,memory:!0,storage:!0},ModifiersNest={
calldata:!0,memory:!0};function checkModifier(type,name){if(type==="bytes"||type==="string"){if(ModifiersBytes[name])return!0}else if(type===
"address"){if(name==="payable")return!0}else if((type.indexOf("[")>=0||type==="tuple")&&ModifiersNest[name])return!0;return(ModifiersBytes[name]||
name==="payable")&&logger5.throwArgumentError("invalid modifier","name",name),!1}__name(checkModifier,"checkModifier");function parseParamType(param,allowIndexed){
let originalParam=param;function throwError(i){logger5.throwArgumentError(`unexpected character at position ${i}`,"param",
param)}__name(throwError,"throwError"),param=param.replace(/\s/g," ");function newNode(parent2){let node2={type:"",name:"",
parent:parent2,state:{allowType:!0}};return allowIndexed&&(node2.indexed=!1),node2}__name(newNode,"newNode");let parent={
type:"",name:"",state:{allowType:!0}},node=parent;for(let i=0;i<param.length;i++){let c=param[i];switch(c){case"(":node.
state.allowType&&node.type===""?node.type="tuple":node.state.allowParams||throwError(i),node.state.allowType=!1,node.type=
verifyType(node.type),node.components=[newNode(node)],node=node.components[0];break;case")":delete node.state,node.name===
"indexed"&&(allowIndexed||throwError(i),node.indexed=!0,node.name=""),checkModifier(node.type,node.name)&&(node.name=""),
node.type=verifyType(node.type);let child=node;node=node.parent,node||throwError(i),delete child.parent,node.state.allowParams=
!1,node.state.allowName=!0,node.state.allowArray=!0;break;case",":delete node.state,node.name==="indexed"&&(allowIndexed||
throwError(i),node.indexed=!0,node.name=""),checkModifier(node.type,node.name)&&(node.name=""),node.type=verifyType(node.
type);let sibling=newNode(node.parent);node.parent.components.push(sibling),delete node.parent,node=sibling;break;case" ":
node.state.allowType&&node.type!==""&&(node.type=verifyType(node.type),delete node.state.allowType,node.state.allowName=
!0,node.state.allowParams=!0),node.state.allowName&&node.name!==""&&(node.name==="indexed"?(allowIndexed||throwError(i),
node.indexed&&throwError(i),node.indexed=!0,node.name=""):checkModifier(node.type,node.name)?node.name="":node.state.allowName=
!1);break;case"[":node.state.allowArray||throwError(i),node.type+=c,node.state.allowArray=!1,node.state.allowName=!1,node.
state.readArray=!0;break;case"]":node.state.readArray||throwError(i),node.type+=c,node.state.readArray=!1,node.state.allowArray=
!0,node.state.allowName=!0;break;default:node.state.allowType?(node.type+=c,node.state.allowParams=!0,node.state.allowArray=
!0):node.state.allowName?(node.name+=c,delete node.state.allowArray):node.state.readArray?node.type+=c:throwError(i)}}return node.
parent&&logger5.throwArgumentError("unexpected eof","param",param),delete parent.state,node.name==="indexed"?(allowIndexed||
throwError(originalParam.length-7),node.indexed&&throwError(originalParam.length-7),node.indexed=!0,node.name=""):checkModifier(
node.type,node.name)&&(node.name=""),parent.type=verifyType(parent.type),parent}__name(parseParamType,"parseParamType");
function populate(object,params){for(let key in params)defineReadOnly(object,key,params[key])}__name(populate,"populate");
var FormatTypes=Object.freeze({sighash:"sighash",minimal:"minimal",full:"full",json:"json"}),paramTypeArray=new RegExp(/^(.*)\[([0-9]*)\]$/),
ParamType=class _ParamType{static{__name(this,"ParamType")}constructor(constructorGuard,params){constructorGuard!==_constructorGuard3&&
logger5.throwError("use fromString",Logger.errors.UNSUPPORTED_OPERATION,{operation:"new ParamType()"}),populate(this,params);
let match=this.type.match(paramTypeArray);match?populate(this,{arrayLength:parseInt(match[2]||"-1"),arrayChildren:_ParamType.
fromObject({type:match[1],components:this.components}),baseType:"array"}):populate(this,{arrayLength:null,arrayChildren:null,
baseType:this.components!=null?"tuple":this.type}),this._isParamType=!0,Object.freeze(this)}format(format){if(format||(format=
FormatTypes.sighash),FormatTypes[format]||logger5.throwArgumentError("invalid format type","format",format),format===FormatTypes.
json){let result2={type:this.baseType==="tuple"?"tuple":this.type,name:this.name||void 0};return typeof this.indexed=="b\
oolean"&&(result2.indexed=this.indexed),this.components&&(result2.components=this.components.map(comp=>JSON.parse(comp.format(
format)))),JSON.stringify(result2)}let result="";return this.baseType==="array"?(result+=this.arrayChildren.format(format),
result+="["+(this.arrayLength<0?"":String(this.arrayLength))+"]"):this.baseType==="tuple"?(format!==FormatTypes.sighash&&
(result+=this.type),result+="("+this.components.map(comp=>comp.format(format)).join(format===FormatTypes.full?", ":",")+
")"):result+=this.type,format!==FormatTypes.sighash&&(this.indexed===!0&&(result+=" indexed"),format===FormatTypes.full&&
this.name&&(result+=" "+this.name)),result}static from(value,allowIndexed){return typeof value=="string"?_ParamType.fromString(
value,allowIndexed):_ParamType.fromObject(value)}static fromObject(value){return _ParamType.isParamType(value)?value:new _ParamType(
_constructorGuard3,{name:value.name||null,type:verifyType(value.type),indexed:value.indexed==null?null:!!value.indexed,components:value.
components?value.components.map(_ParamType.fromObject):null})}static fromString(value,allowIndexed){function ParamTypify(node){
return _ParamType.fromObject({name:node.name,type:node.type,indexed:node.indexed,components:node.components})}return __name(
ParamTypify,"ParamTypify"),ParamTypify(parseParamType(value,!!allowIndexed))}static isParamType(value){return!!(value!=null&&
value._isParamType)}};function parseParams(value,allowIndex){return splitNesting(value).map(param=>ParamType.fromString(
param,allowIndex))}__name(parseParams,"parseParams");var Fragment=class _Fragment{static{__name(this,"Fragment")}constructor(constructorGuard,params){
constructorGuard!==_constructorGuard3&&logger5.throwError("use a static from method",Logger.errors.UNSUPPORTED_OPERATION,
{operation:"new Fragment()"}),populate(this,params),this._isFragment=!0,Object.freeze(this)}static from(value){return _Fragment.
isFragment(value)?value:typeof value=="string"?_Fragment.fromString(value):_Fragment.fromObject(value)}static fromObject(value){
if(_Fragment.isFragment(value))return value;switch(value.type){case"function":return FunctionFragment.fromObject(value);case"\
event":return EventFragment.fromObject(value);case"constructor":return ConstructorFragment.fromObject(value);case"error":
return ErrorFragment.fromObject(value);case"fallback":case"receive":return null}return logger5.throwArgumentError("inval\
id fragment object","value",value)}static fromString(value){return value=value.replace(/\s/g," "),value=value.replace(/\(/g,
" (").replace(/\)/g,") ").replace(/\s+/g," "),value=value.trim(),value.split(" ")[0]==="event"?EventFragment.fromString(
value.substring(5).trim()):value.split(" ")[0]==="function"?FunctionFragment.fromString(value.substring(8).trim()):value.
split("(")[0].trim()==="constructor"?ConstructorFragment.fromString(value.trim()):value.split(" ")[0]==="error"?ErrorFragment.
fromString(value.substring(5).trim()):logger5.throwArgumentError("unsupported fragment","value",value)}static isFragment(value){
return!!(value&&value._isFragment)}},EventFragment=class _EventFragment extends Fragment{static{__name(this,"EventFragme\
nt")}format(format){if(format||(format=FormatTypes.sighash),FormatTypes[format]||logger5.throwArgumentError("invalid for\
mat type","format",format),format===FormatTypes.json)return JSON.stringify({type:"event",anonymous:this.anonymous,name:this.
name,inputs:this.inputs.map(input=>JSON.parse(input.format(format)))});let result="";return format!==FormatTypes.sighash&&
(result+="event "),result+=this.name+"("+this.inputs.map(input=>input.format(format)).join(format===FormatTypes.full?", ":
",")+") ",format!==FormatTypes.sighash&&this.anonymous&&(result+="anonymous "),result.trim()}static from(value){return typeof value==
"string"?_EventFragment.fromString(value):_EventFragment.fromObject(value)}static fromObject(value){if(_EventFragment.isEventFragment(
value))return value;value.type!=="event"&&logger5.throwArgumentError("invalid event object","value",value);let params={name:verifyIdentifier(
value.name),anonymous:value.anonymous,inputs:value.inputs?value.inputs.map(ParamType.fromObject):[],type:"event"};return new _EventFragment(
_constructorGuard3,params)}static fromString(value){let match=value.match(regexParen);match||logger5.throwArgumentError(
"invalid event string","value",value);let anonymous=!1;return match[3].split(" ").forEach(modifier=>{switch(modifier.trim()){case"\
anonymous":anonymous=!0;break;case"":break;default:logger5.warn("unknown modifier: "+modifier)}}),_EventFragment.fromObject(
{name:match[1].trim(),anonymous,inputs:parseParams(match[2],!0),type:"event"})}static isEventFragment(value){return value&&
value._isFragment&&value.type==="event"}};function parseGas(value,params){params.gas=null;let comps=value.split("@");return comps.
length!==1?(comps.length>2&&logger5.throwArgumentError("invalid human-readable ABI signature","value",value),comps[1].match(
/^[0-9]+$/)||logger5.throwArgumentError("invalid human-readable ABI signature gas","value",value),params.gas=BigNumber.from(
comps[1]),comps[0]):value}__name(parseGas,"parseGas");function parseModifiers(value,params){params.constant=!1,params.payable=
!1,params.stateMutability="nonpayable",value.split(" ").forEach(modifier=>{switch(modifier.trim()){case"constant":params.
constant=!0;break;case"payable":params.payable=!0,params.stateMutability="payable";break;case"nonpayable":params.payable=
!1,params.stateMutability="nonpayable";break;case"pure":params.constant=!0,params.stateMutability="pure";break;case"view":
params.constant=!0,params.stateMutability="view";break;case"external":case"public":case"":break;default:console.log("unk\
nown modifier: "+modifier)}})}__name(parseModifiers,"parseModifiers");function verifyState(value){let result={constant:!1,
payable:!0,stateMutability:"payable"};return value.stateMutability!=null?(result.stateMutability=value.stateMutability,result.
constant=result.stateMutability==="view"||result.stateMutability==="pure",value.constant!=null&&!!value.constant!==result.
constant&&logger5.throwArgumentError("cannot have constant function with mutability "+result.stateMutability,"value",value),
result.payable=result.stateMutability==="payable",value.payable!=null&&!!value.payable!==result.payable&&logger5.throwArgumentError(
"cannot have payable function with mutability "+result.stateMutability,"value",value)):value.payable!=null?(result.payable=
!!value.payable,value.constant==null&&!result.payable&&value.type!=="constructor"&&logger5.throwArgumentError("unable to\
 determine stateMutability","value",value),result.constant=!!value.constant,result.constant?result.stateMutability="view":
result.stateMutability=result.payable?"payable":"nonpayable",result.payable&&result.constant&&logger5.throwArgumentError(
"cannot have constant payable function","value",value)):value.constant!=null?(result.constant=!!value.constant,result.payable=
!result.constant,result.stateMutability=result.constant?"view":"payable"):value.type!=="constructor"&&logger5.throwArgumentError(
"unable to determine stateMutability","value",value),result}__name(verifyState,"verifyState");var ConstructorFragment=class _ConstructorFragment extends Fragment{static{
__name(this,"ConstructorFragment")}format(format){if(format||(format=FormatTypes.sighash),FormatTypes[format]||logger5.throwArgumentError(
"invalid format type","format",format),format===FormatTypes.json)return JSON.stringify({type:"constructor",stateMutability:this.
stateMutability!=="nonpayable"?this.stateMutability:void 0,payable:this.payable,gas:this.gas?this.gas.toNumber():void 0,
inputs:this.inputs.map(input=>JSON.parse(input.format(format)))});format===FormatTypes.sighash&&logger5.throwError("cann\
ot format a constructor for sighash",Logger.errors.UNSUPPORTED_OPERATION,{operation:"format(sighash)"});let result="cons\
tructor("+this.inputs.map(input=>input.format(format)).join(format===FormatTypes.full?", ":",")+") ";return this.stateMutability&&
this.stateMutability!=="nonpayable"&&(result+=this.stateMutability+" "),result.trim()}static from(value){return typeof value==
"string"?_ConstructorFragment.fromString(value):_ConstructorFragment.fromObject(value)}static fromObject(value){if(_ConstructorFragment.
isConstructorFragment(value))return value;value.type!=="constructor"&&logger5.throwArgumentError("invalid constructor ob\
ject","value",value);let state=verifyState(value);state.constant&&logger5.throwArgumentError("constructor cannot be cons\
tant","value",value);let params={name:null,type:value.type,inputs:value.inputs?value.inputs.map(ParamType.fromObject):[],
payable:state.payable,stateMutability:state.stateMutability,gas:value.gas?BigNumber.from(value.gas):null};return new _ConstructorFragment(
_constructorGuard3,params)}static fromString(value){let params={type:"constructor"};value=parseGas(value,params);let parens=value.
match(regexParen);return(!parens||parens[1].trim()!=="constructor")&&logger5.throwArgumentError("invalid constructor str\
ing","value",value),params.inputs=parseParams(parens[2].trim(),!1),parseModifiers(parens[3].trim(),params),_ConstructorFragment.
fromObject(params)}static isConstructorFragment(value){return value&&value._isFragment&&value.type==="constructor"}},FunctionFragment=class _FunctionFragment extends ConstructorFragment{static{
__name(this,"FunctionFragment")}format(format){if(format||(format=FormatTypes.sighash),FormatTypes[format]||logger5.throwArgumentError(
"invalid format type","format",format),format===FormatTypes.json)return JSON.stringify({type:"function",name:this.name,constant:this.
constant,stateMutability:this.stateMutability!=="nonpayable"?this.stateMutability:void 0,payable:this.payable,gas:this.gas?
this.gas.toNumber():void 0,inputs:this.inputs.map(input=>JSON.parse(input.format(format))),outputs:this.outputs.map(output2=>JSON.
parse(output2.format(format)))});let result="";return format!==FormatTypes.sighash&&(result+="function "),result+=this.name+
"("+this.inputs.map(input=>input.format(format)).join(format===FormatTypes.full?", ":",")+") ",format!==FormatTypes.sighash&&
(this.stateMutability?this.stateMutability!=="nonpayable"&&(result+=this.stateMutability+" "):this.constant&&(result+="v\
iew "),this.outputs&&this.outputs.length&&(result+="returns ("+this.outputs.map(output2=>output2.format(format)).join(",\
 ")+") "),this.gas!=null&&(result+="@"+this.gas.toString()+" ")),result.trim()}static from(value){return typeof value=="\
string"?_FunctionFragment.fromString(value):_FunctionFragment.fromObject(value)}static fromObject(value){if(_FunctionFragment.
isFunctionFragment(value))return value;value.type!=="function"&&logger5.throwArgumentError("invalid function object","va\
lue",value);let state=verifyState(value),params={type:value.type,name:verifyIdentifier(value.name),constant:state.constant,
inputs:value.inputs?value.inputs.map(ParamType.fromObject):[],outputs:value.outputs?value.outputs.map(ParamType.fromObject):
[],payable:state.payable,stateMutability:state.stateMutability,gas:value.gas?BigNumber.from(value.gas):null};return new _FunctionFragment(
_constructorGuard3,params)}static fromString(value){let params={type:"function"};value=parseGas(value,params);let comps=value.
split(" returns ");comps.length>2&&logger5.throwArgumentError("invalid function string","value",value);let parens=comps[0].
match(regexParen);if(parens||logger5.throwArgumentError("invalid function signature","value",value),params.name=parens[1].
trim(),params.name&&verifyIdentifier(params.name),params.inputs=parseParams(parens[2],!1),parseModifiers(parens[3].trim(),
params),comps.length>1){let returns=comps[1].match(regexParen);(returns[1].trim()!=""||returns[3].trim()!="")&&logger5.throwArgumentError(
"unexpected tokens","value",value),params.outputs=parseParams(returns[2],!1)}else params.outputs=[];return _FunctionFragment.
fromObject(params)}static isFunctionFragment(value){return value&&value._isFragment&&value.type==="function"}};function checkForbidden(fragment){
let sig=fragment.format();return(sig==="Error(string)"||sig==="Panic(uint256)")&&logger5.throwArgumentError(`cannot spec\
ify user defined ${sig} error`,"fragment",fragment),fragment}__name(checkForbidden,"checkForbidden");var ErrorFragment=class _ErrorFragment extends Fragment{static{
__name(this,"ErrorFragment")}format(format){if(format||(format=FormatTypes.sighash),FormatTypes[format]||logger5.throwArgumentError(
"invalid format type","format",format),format===FormatTypes.json)return JSON.stringify({type:"error",name:this.name,inputs:this.
inputs.map(input=>JSON.parse(input.format(format)))});let result="";return format!==FormatTypes.sighash&&(result+="error\
 "),result+=this.name+"("+this.inputs.map(input=>input.format(format)).join(format===FormatTypes.full?", ":",")+") ",result.
trim()}static from(value){return typeof value=="string"?_ErrorFragment.fromString(value):_ErrorFragment.fromObject(value)}static fromObject(value){
if(_ErrorFragment.isErrorFragment(value))return value;value.type!=="error"&&logger5.throwArgumentError("invalid error ob\
ject","value",value);let params={type:value.type,name:verifyIdentifier(value.name),inputs:value.inputs?value.inputs.map(
ParamType.fromObject):[]};return checkForbidden(new _ErrorFragment(_constructorGuard3,params))}static fromString(value){
let params={type:"error"},parens=value.match(regexParen);return parens||logger5.throwArgumentError("invalid error signat\
ure","value",value),params.name=parens[1].trim(),params.name&&verifyIdentifier(params.name),params.inputs=parseParams(parens[2],
!1),checkForbidden(_ErrorFragment.fromObject(params))}static isErrorFragment(value){return value&&value._isFragment&&value.
type==="error"}};function verifyType(type){return type.match(/^uint($|[^1-9])/)?type="uint256"+type.substring(4):type.match(
/^int($|[^1-9])/)&&(type="int256"+type.substring(3)),type}__name(verifyType,"verifyType");var regexIdentifier=new RegExp(
"^[a-zA-Z$_][a-zA-Z0-9$_]*$");function verifyIdentifier(value){return(!value||!value.match(regexIdentifier))&&logger5.throwArgumentError(
`invalid identifier "${value}"`,"value",value),value}__name(verifyIdentifier,"verifyIdentifier");var regexParen=new RegExp(
"^([^)(]*)\\((.*)\\)([^)(]*)$");function splitNesting(value){value=value.trim();let result=[],accum="",depth=0;for(let offset=0;offset<
value.length;offset++){let c=value[offset];c===","&&depth===0?(result.push(accum),accum=""):(accum+=c,c==="("?depth++:c===
")"&&(depth--,depth===-1&&logger5.throwArgumentError("unbalanced parenthesis","value",value)))}return accum&&result.push(
accum),result}__name(splitNesting,"splitNesting");init_ethersproject_bytes();init_lib();init_ethersproject_bytes();init_lib3();init_lib();var logger6=new Logger(version5);function checkResultErrors(result){let errors=[],checkErrors=__name(function(path,object){
if(Array.isArray(object))for(let key in object){let childPath=path.slice();childPath.push(key);try{checkErrors(childPath,
object[key])}catch(error){errors.push({path:childPath,error})}}},"checkErrors");return checkErrors([],result),errors}__name(
checkResultErrors,"checkResultErrors");var Coder=class{static{__name(this,"Coder")}constructor(name,type,localName,dynamic){
this.name=name,this.type=type,this.localName=localName,this.dynamic=dynamic}_throwError(message,value){logger6.throwArgumentError(
message,this.localName,value)}},Writer=class{static{__name(this,"Writer")}constructor(wordSize){defineReadOnly(this,"wor\
dSize",wordSize||32),this._data=[],this._dataLength=0,this._padding=new Uint8Array(wordSize)}get data(){return hexConcat(
this._data)}get length(){return this._dataLength}_writeData(data){return this._data.push(data),this._dataLength+=data.length,
data.length}appendWriter(writer){return this._writeData(concat(writer._data))}writeBytes(value){let bytes3=arrayify2(value),
paddingOffset=bytes3.length%this.wordSize;return paddingOffset&&(bytes3=concat([bytes3,this._padding.slice(paddingOffset)])),
this._writeData(bytes3)}_getValue(value){let bytes3=arrayify2(BigNumber.from(value));return bytes3.length>this.wordSize&&
logger6.throwError("value out-of-bounds",Logger.errors.BUFFER_OVERRUN,{length:this.wordSize,offset:bytes3.length}),bytes3.
length%this.wordSize&&(bytes3=concat([this._padding.slice(bytes3.length%this.wordSize),bytes3])),bytes3}writeValue(value){
return this._writeData(this._getValue(value))}writeUpdatableValue(){let offset=this._data.length;return this._data.push(
this._padding),this._dataLength+=this.wordSize,value=>{this._data[offset]=this._getValue(value)}}},Reader=class _Reader{static{
__name(this,"Reader")}constructor(data,wordSize,coerceFunc,allowLoose){defineReadOnly(this,"_data",arrayify2(data)),defineReadOnly(
this,"wordSize",wordSize||32),defineReadOnly(this,"_coerceFunc",coerceFunc),defineReadOnly(this,"allowLoose",allowLoose),
this._offset=0}get data(){return hexlify2(this._data)}get consumed(){return this._offset}static coerce(name,value){let match=name.
match("^u?int([0-9]+)$");return match&&parseInt(match[1])<=48&&(value=value.toNumber()),value}coerce(name,value){return this.
_coerceFunc?this._coerceFunc(name,value):_Reader.coerce(name,value)}_peekBytes(offset,length,loose){let alignedLength=Math.
ceil(length/this.wordSize)*this.wordSize;return this._offset+alignedLength>this._data.length&&(this.allowLoose&&loose&&this.
_offset+length<=this._data.length?alignedLength=length:logger6.throwError("data out-of-bounds",Logger.errors.BUFFER_OVERRUN,
{length:this._data.length,offset:this._offset+alignedLength})),this._data.slice(this._offset,this._offset+alignedLength)}subReader(offset){
return new _Reader(this._data.slice(this._offset+offset),this.wordSize,this._coerceFunc,this.allowLoose)}readBytes(length,loose){
let bytes3=this._peekBytes(0,length,!!loose);return this._offset+=bytes3.length,bytes3.slice(0,length)}readValue(){return BigNumber.
from(this.readBytes(this.wordSize))}};init_ethersproject_bytes();init_lib3();init_lib4();var lib_exports={};__export(lib_exports,{decode:()=>decode,encode:()=>encode});init_ethersproject_bytes();init_lib();var version6="rlp/5.7.0";var logger7=new Logger(version6);function arrayifyInteger(value){let result=[];for(;value;)result.unshift(value&255),value>>=
8;return result}__name(arrayifyInteger,"arrayifyInteger");function unarrayifyInteger(data,offset,length){let result=0;for(let i=0;i<
length;i++)result=result*256+data[offset+i];return result}__name(unarrayifyInteger,"unarrayifyInteger");function _encode(object){
if(Array.isArray(object)){let payload=[];if(object.forEach(function(child){payload=payload.concat(_encode(child))}),payload.
length<=55)return payload.unshift(192+payload.length),payload;let length2=arrayifyInteger(payload.length);return length2.
unshift(247+length2.length),length2.concat(payload)}isBytesLike(object)||logger7.throwArgumentError("RLP object must be \
BytesLike","object",object);let data=Array.prototype.slice.call(arrayify2(object));if(data.length===1&&data[0]<=127)return data;
if(data.length<=55)return data.unshift(128+data.length),data;let length=arrayifyInteger(data.length);return length.unshift(
183+length.length),length.concat(data)}__name(_encode,"_encode");function encode(object){return hexlify2(_encode(object))}
__name(encode,"encode");function _decodeChildren(data,offset,childOffset,length){let result=[];for(;childOffset<offset+1+
length;){let decoded=_decode(data,childOffset);result.push(decoded.result),childOffset+=decoded.consumed,childOffset>offset+
1+length&&logger7.throwError("child data too short",Logger.errors.BUFFER_OVERRUN,{})}return{consumed:1+length,result}}__name(
_decodeChildren,"_decodeChildren");function _decode(data,offset){if(data.length===0&&logger7.throwError("data too short",
Logger.errors.BUFFER_OVERRUN,{}),data[offset]>=248){let lengthLength=data[offset]-247;offset+1+lengthLength>data.length&&
logger7.throwError("data short segment too short",Logger.errors.BUFFER_OVERRUN,{});let length=unarrayifyInteger(data,offset+
1,lengthLength);return offset+1+lengthLength+length>data.length&&logger7.throwError("data long segment too short",Logger.
errors.BUFFER_OVERRUN,{}),_decodeChildren(data,offset,offset+1+lengthLength,lengthLength+length)}else if(data[offset]>=192){
let length=data[offset]-192;return offset+1+length>data.length&&logger7.throwError("data array too short",Logger.errors.
BUFFER_OVERRUN,{}),_decodeChildren(data,offset,offset+1,length)}else if(data[offset]>=184){let lengthLength=data[offset]-
183;offset+1+lengthLength>data.length&&logger7.throwError("data array too short",Logger.errors.BUFFER_OVERRUN,{});let length=unarrayifyInteger(
data,offset+1,lengthLength);offset+1+lengthLength+length>data.length&&logger7.throwError("data array too short",Logger.errors.
BUFFER_OVERRUN,{});let result=hexlify2(data.slice(offset+1+lengthLength,offset+1+lengthLength+length));return{consumed:1+
lengthLength+length,result}}else if(data[offset]>=128){let length=data[offset]-128;offset+1+length>data.length&&logger7.
throwError("data too short",Logger.errors.BUFFER_OVERRUN,{});let result=hexlify2(data.slice(offset+1,offset+1+length));return{
consumed:1+length,result}}return{consumed:1,result:hexlify2(data[offset])}}__name(_decode,"_decode");function decode(data){
let bytes3=arrayify2(data),decoded=_decode(bytes3,0);return decoded.consumed!==bytes3.length&&logger7.throwArgumentError(
"invalid rlp data","data",data),decoded.result}__name(decode,"decode");init_lib();var version7="address/5.7.0";var logger8=new Logger(version7);function getChecksumAddress(address){isHexString(address,20)||logger8.throwArgumentError(
"invalid address","address",address),address=address.toLowerCase();let chars=address.substring(2).split(""),expanded=new Uint8Array(
40);for(let i=0;i<40;i++)expanded[i]=chars[i].charCodeAt(0);let hashed2=arrayify2(keccak2562(expanded));for(let i=0;i<40;i+=
2)hashed2[i>>1]>>4>=8&&(chars[i]=chars[i].toUpperCase()),(hashed2[i>>1]&15)>=8&&(chars[i+1]=chars[i+1].toUpperCase());return"\
0x"+chars.join("")}__name(getChecksumAddress,"getChecksumAddress");var MAX_SAFE_INTEGER=9007199254740991;function log10(x){
return Math.log10?Math.log10(x):Math.log(x)/Math.LN10}__name(log10,"log10");var ibanLookup={};for(let i=0;i<10;i++)ibanLookup[String(
i)]=String(i);for(let i=0;i<26;i++)ibanLookup[String.fromCharCode(65+i)]=String(10+i);var safeDigits=Math.floor(log10(MAX_SAFE_INTEGER));
function ibanChecksum(address){address=address.toUpperCase(),address=address.substring(4)+address.substring(0,2)+"00";let expanded=address.
split("").map(c=>ibanLookup[c]).join("");for(;expanded.length>=safeDigits;){let block=expanded.substring(0,safeDigits);expanded=
parseInt(block,10)%97+expanded.substring(block.length)}let checksum=String(98-parseInt(expanded,10)%97);for(;checksum.length<
2;)checksum="0"+checksum;return checksum}__name(ibanChecksum,"ibanChecksum");function getAddress(address){let result=null;
if(typeof address!="string"&&logger8.throwArgumentError("invalid address","address",address),address.match(/^(0x)?[0-9a-fA-F]{40}$/))
address.substring(0,2)!=="0x"&&(address="0x"+address),result=getChecksumAddress(address),address.match(/([A-F].*[a-f])|([a-f].*[A-F])/)&&
result!==address&&logger8.throwArgumentError("bad address checksum","address",address);else if(address.match(/^XE[0-9]{2}[0-9A-Za-z]{30,31}$/)){
for(address.substring(2,4)!==ibanChecksum(address)&&logger8.throwArgumentError("bad icap checksum","address",address),result=
_base36To16(address.substring(4));result.length<40;)result="0"+result;result=getChecksumAddress("0x"+result)}else logger8.
throwArgumentError("invalid address","address",address);return result}__name(getAddress,"getAddress");function isAddress(address){
try{return getAddress(address),!0}catch{}return!1}__name(isAddress,"isAddress");function getIcapAddress(address){let base36=_base16To36(
getAddress(address).substring(2)).toUpperCase();for(;base36.length<30;)base36="0"+base36;return"XE"+ibanChecksum("XE00"+
base36)+base36}__name(getIcapAddress,"getIcapAddress");function getContractAddress(transaction){let from=null;try{from=getAddress(
transaction.from)}catch{logger8.throwArgumentError("missing from address","transaction",transaction)}let nonce=stripZeros(
arrayify2(BigNumber.from(transaction.nonce).toHexString()));return getAddress(hexDataSlice(keccak2562(encode([from,nonce])),
12))}__name(getContractAddress,"getContractAddress");function getCreate2Address(from,salt,initCodeHash){return hexDataLength(
salt)!==32&&logger8.throwArgumentError("salt must be 32 bytes","salt",salt),hexDataLength(initCodeHash)!==32&&logger8.throwArgumentError(
"initCodeHash must be 32 bytes","initCodeHash",initCodeHash),getAddress(hexDataSlice(keccak2562(concat(["0xff",getAddress(
from),salt,initCodeHash])),12))}__name(getCreate2Address,"getCreate2Address");init_ethersproject_bytes();var AddressCoder=class extends Coder{static{__name(this,"AddressCoder")}constructor(localName){super("address","address",
localName,!1)}defaultValue(){return"0x0000000000000000000000000000000000000000"}encode(writer,value){try{value=getAddress(
value)}catch(error){this._throwError(error.message,value)}return writer.writeValue(value)}decode(reader){return getAddress(
hexZeroPad(reader.readValue().toHexString(),20))}};init_lib();var AnonymousCoder=class extends Coder{static{__name(this,"AnonymousCoder")}constructor(coder){super(coder.name,coder.type,
void 0,coder.dynamic),this.coder=coder}defaultValue(){return this.coder.defaultValue()}encode(writer,value){return this.
coder.encode(writer,value)}decode(reader){return this.coder.decode(reader)}};var logger9=new Logger(version5);function pack(writer,coders,values){let arrayValues=null;if(Array.isArray(values))arrayValues=
values;else if(values&&typeof values=="object"){let unique={};arrayValues=coders.map(coder=>{let name=coder.localName;return name||
logger9.throwError("cannot encode object for signature with missing names",Logger.errors.INVALID_ARGUMENT,{argument:"val\
ues",coder,value:values}),unique[name]&&logger9.throwError("cannot encode object for signature with duplicate names",Logger.
errors.INVALID_ARGUMENT,{argument:"values",coder,value:values}),unique[name]=!0,values[name]})}else logger9.throwArgumentError(
"invalid tuple value","tuple",values);coders.length!==arrayValues.length&&logger9.throwArgumentError("types/value length\
 mismatch","tuple",values);let staticWriter=new Writer(writer.wordSize),dynamicWriter=new Writer(writer.wordSize),updateFuncs=[];
coders.forEach((coder,index)=>{let value=arrayValues[index];if(coder.dynamic){let dynamicOffset=dynamicWriter.length;coder.
encode(dynamicWriter,value);let updateFunc=staticWriter.writeUpdatableValue();updateFuncs.push(baseOffset=>{updateFunc(baseOffset+
dynamicOffset)})}else coder.encode(staticWriter,value)}),updateFuncs.forEach(func=>{func(staticWriter.length)});let length=writer.
appendWriter(staticWriter);return length+=writer.appendWriter(dynamicWriter),length}__name(pack,"pack");function unpack(reader,coders){
let values=[],baseReader=reader.subReader(0);coders.forEach(coder=>{let value=null;if(coder.dynamic){let offset=reader.readValue(),
offsetReader=baseReader.subReader(offset.toNumber());try{value=coder.decode(offsetReader)}catch(error){if(error.code===Logger.
errors.BUFFER_OVERRUN)throw error;value=error,value.baseType=coder.name,value.name=coder.localName,value.type=coder.type}}else
try{value=coder.decode(reader)}catch(error){if(error.code===Logger.errors.BUFFER_OVERRUN)throw error;value=error,value.baseType=
coder.name,value.name=coder.localName,value.type=coder.type}value!=null&&values.push(value)});let uniqueNames=coders.reduce(
(accum,coder)=>{let name=coder.localName;return name&&(accum[name]||(accum[name]=0),accum[name]++),accum},{});coders.forEach(
(coder,index)=>{let name=coder.localName;if(!name||uniqueNames[name]!==1||(name==="length"&&(name="_length"),values[name]!=
null))return;let value=values[index];value instanceof Error?Object.defineProperty(values,name,{enumerable:!0,get:__name(
()=>{throw value},"get")}):values[name]=value});for(let i=0;i<values.length;i++){let value=values[i];value instanceof Error&&
Object.defineProperty(values,i,{enumerable:!0,get:__name(()=>{throw value},"get")})}return Object.freeze(values)}__name(
unpack,"unpack");var ArrayCoder=class extends Coder{static{__name(this,"ArrayCoder")}constructor(coder,length,localName){
let type=coder.type+"["+(length>=0?length:"")+"]",dynamic=length===-1||coder.dynamic;super("array",type,localName,dynamic),
this.coder=coder,this.length=length}defaultValue(){let defaultChild=this.coder.defaultValue(),result=[];for(let i=0;i<this.
length;i++)result.push(defaultChild);return result}encode(writer,value){Array.isArray(value)||this._throwError("expected\
 array value",value);let count2=this.length;count2===-1&&(count2=value.length,writer.writeValue(value.length)),logger9.checkArgumentCount(
value.length,count2,"coder array"+(this.localName?" "+this.localName:""));let coders=[];for(let i=0;i<value.length;i++)coders.
push(this.coder);return pack(writer,coders,value)}decode(reader){let count2=this.length;count2===-1&&(count2=reader.readValue().
toNumber(),count2*32>reader._data.length&&logger9.throwError("insufficient data length",Logger.errors.BUFFER_OVERRUN,{length:reader.
_data.length,count:count2}));let coders=[];for(let i=0;i<count2;i++)coders.push(new AnonymousCoder(this.coder));return reader.
coerce(this.name,unpack(reader,coders))}};var BooleanCoder=class extends Coder{static{__name(this,"BooleanCoder")}constructor(localName){super("bool","bool",localName,
!1)}defaultValue(){return!1}encode(writer,value){return writer.writeValue(value?1:0)}decode(reader){return reader.coerce(
this.type,!reader.readValue().isZero())}};init_ethersproject_bytes();var DynamicBytesCoder=class extends Coder{static{__name(this,"DynamicBytesCoder")}constructor(type,localName){super(type,
type,localName,!0)}defaultValue(){return"0x"}encode(writer,value){value=arrayify2(value);let length=writer.writeValue(value.
length);return length+=writer.writeBytes(value),length}decode(reader){return reader.readBytes(reader.readValue().toNumber(),
!0)}},BytesCoder=class extends DynamicBytesCoder{static{__name(this,"BytesCoder")}constructor(localName){super("bytes",localName)}decode(reader){
return reader.coerce(this.name,hexlify2(super.decode(reader)))}};init_ethersproject_bytes();var FixedBytesCoder=class extends Coder{static{__name(this,"FixedBytesCoder")}constructor(size,localName){let name="byte\
s"+String(size);super(name,name,localName,!1),this.size=size}defaultValue(){return"0x00000000000000000000000000000000000\
00000000000000000000000000000".substring(0,2+this.size*2)}encode(writer,value){let data=arrayify2(value);return data.length!==
this.size&&this._throwError("incorrect data length",value),writer.writeBytes(data)}decode(reader){return reader.coerce(this.
name,hexlify2(reader.readBytes(this.size)))}};var NullCoder=class extends Coder{static{__name(this,"NullCoder")}constructor(localName){super("null","",localName,!1)}defaultValue(){
return null}encode(writer,value){return value!=null&&this._throwError("not null",value),writer.writeBytes([])}decode(reader){
return reader.readBytes(0),reader.coerce(this.name,null)}};init_lib3();init_lib5();var NumberCoder=class extends Coder{static{__name(this,"NumberCoder")}constructor(size,signed2,localName){let name=(signed2?
"int":"uint")+size*8;super(name,name,localName,!1),this.size=size,this.signed=signed2}defaultValue(){return 0}encode(writer,value){
let v=BigNumber.from(value),maxUintValue=MaxUint256.mask(writer.wordSize*8);if(this.signed){let bounds=maxUintValue.mask(
this.size*8-1);(v.gt(bounds)||v.lt(bounds.add(One).mul(NegativeOne2)))&&this._throwError("value out-of-bounds",value)}else
(v.lt(Zero2)||v.gt(maxUintValue.mask(this.size*8)))&&this._throwError("value out-of-bounds",value);return v=v.toTwos(this.
size*8).mask(this.size*8),this.signed&&(v=v.fromTwos(this.size*8).toTwos(8*writer.wordSize)),writer.writeValue(v)}decode(reader){
let value=reader.readValue().mask(this.size*8);return this.signed&&(value=value.fromTwos(this.size*8)),reader.coerce(this.
name,value)}};init_lib6();var StringCoder=class extends DynamicBytesCoder{static{__name(this,"StringCoder")}constructor(localName){super("string",
localName)}defaultValue(){return""}encode(writer,value){return super.encode(writer,toUtf8Bytes(value))}decode(reader){return toUtf8String(
super.decode(reader))}};var TupleCoder=class extends Coder{static{__name(this,"TupleCoder")}constructor(coders,localName){let dynamic=!1,types=[];
coders.forEach(coder=>{coder.dynamic&&(dynamic=!0),types.push(coder.type)});let type="tuple("+types.join(",")+")";super(
"tuple",type,localName,dynamic),this.coders=coders}defaultValue(){let values=[];this.coders.forEach(coder=>{values.push(
coder.defaultValue())});let uniqueNames=this.coders.reduce((accum,coder)=>{let name=coder.localName;return name&&(accum[name]||
(accum[name]=0),accum[name]++),accum},{});return this.coders.forEach((coder,index)=>{let name=coder.localName;!name||uniqueNames[name]!==
1||(name==="length"&&(name="_length"),values[name]==null&&(values[name]=values[index]))}),Object.freeze(values)}encode(writer,value){
return pack(writer,this.coders,value)}decode(reader){return reader.coerce(this.name,unpack(reader,this.coders))}};var logger11=new Logger(version5),paramTypeBytes=new RegExp(/^bytes([0-9]*)$/),paramTypeNumber=new RegExp(/^(u?int)([0-9]*)$/),
AbiCoder=class{static{__name(this,"AbiCoder")}constructor(coerceFunc){defineReadOnly(this,"coerceFunc",coerceFunc||null)}_getCoder(param){
switch(param.baseType){case"address":return new AddressCoder(param.name);case"bool":return new BooleanCoder(param.name);case"\
string":return new StringCoder(param.name);case"bytes":return new BytesCoder(param.name);case"array":return new ArrayCoder(
this._getCoder(param.arrayChildren),param.arrayLength,param.name);case"tuple":return new TupleCoder((param.components||[]).
map(component=>this._getCoder(component)),param.name);case"":return new NullCoder(param.name)}let match=param.type.match(
paramTypeNumber);if(match){let size=parseInt(match[2]||"256");return(size===0||size>256||size%8!==0)&&logger11.throwArgumentError(
"invalid "+match[1]+" bit length","param",param),new NumberCoder(size/8,match[1]==="int",param.name)}if(match=param.type.
match(paramTypeBytes),match){let size=parseInt(match[1]);return(size===0||size>32)&&logger11.throwArgumentError("invalid\
 bytes length","param",param),new FixedBytesCoder(size,param.name)}return logger11.throwArgumentError("invalid type","ty\
pe",param.type)}_getWordSize(){return 32}_getReader(data,allowLoose){return new Reader(data,this._getWordSize(),this.coerceFunc,
allowLoose)}_getWriter(){return new Writer(this._getWordSize())}getDefaultValue(types){let coders=types.map(type=>this._getCoder(
ParamType.from(type)));return new TupleCoder(coders,"_").defaultValue()}encode(types,values){types.length!==values.length&&
logger11.throwError("types/values length mismatch",Logger.errors.INVALID_ARGUMENT,{count:{types:types.length,values:values.
length},value:{types,values}});let coders=types.map(type=>this._getCoder(ParamType.from(type))),coder=new TupleCoder(coders,
"_"),writer=this._getWriter();return coder.encode(writer,values),writer.data}decode(types,data,loose){let coders=types.map(
type=>this._getCoder(ParamType.from(type)));return new TupleCoder(coders,"_").decode(this._getReader(arrayify2(data),loose))}},
defaultAbiCoder=new AbiCoder;init_lib3();init_ethersproject_bytes();init_lib4();init_lib6();function id(text){return keccak2562(toUtf8Bytes(text))}__name(id,"id");init_ethersproject_bytes();init_lib4();init_lib6();var messagePrefix=`Ethereum Signed Message:
`;function hashMessage(message){return typeof message=="string"&&(message=toUtf8Bytes(message)),keccak2562(concat([toUtf8Bytes(
messagePrefix),toUtf8Bytes(String(message.length)),message]))}__name(hashMessage,"hashMessage");init_lib3();init_ethersproject_bytes();init_lib4();init_lib();init_version5();var __awaiter2=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger12=new Logger(version9),padding=new Uint8Array(32);padding.fill(0);var NegativeOne3=BigNumber.from(-1),Zero3=BigNumber.
from(0),One2=BigNumber.from(1),MaxUint2562=BigNumber.from("0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
fffff");function hexPadRight(value){let bytes3=arrayify2(value),padOffset=bytes3.length%32;return padOffset?hexConcat([bytes3,
padding.slice(padOffset)]):hexlify2(bytes3)}__name(hexPadRight,"hexPadRight");var hexTrue=hexZeroPad(One2.toHexString(),
32),hexFalse=hexZeroPad(Zero3.toHexString(),32),domainFieldTypes={name:"string",version:"string",chainId:"uint256",verifyingContract:"\
address",salt:"bytes32"},domainFieldNames=["name","version","chainId","verifyingContract","salt"];function checkString(key){
return function(value){return typeof value!="string"&&logger12.throwArgumentError(`invalid domain value for ${JSON.stringify(
key)}`,`domain.${key}`,value),value}}__name(checkString,"checkString");var domainChecks={name:checkString("name"),version:checkString(
"version"),chainId:__name(function(value){try{return BigNumber.from(value).toString()}catch{}return logger12.throwArgumentError(
'invalid domain value for "chainId"',"domain.chainId",value)},"chainId"),verifyingContract:__name(function(value){try{return getAddress(
value).toLowerCase()}catch{}return logger12.throwArgumentError('invalid domain value "verifyingContract"',"domain.verify\
ingContract",value)},"verifyingContract"),salt:__name(function(value){try{let bytes3=arrayify2(value);if(bytes3.length!==
32)throw new Error("bad length");return hexlify2(bytes3)}catch{}return logger12.throwArgumentError('invalid domain value\
 "salt"',"domain.salt",value)},"salt")};function getBaseEncoder(type){{let match=type.match(/^(u?)int(\d*)$/);if(match){
let signed2=match[1]==="",width=parseInt(match[2]||"256");(width%8!==0||width>256||match[2]&&match[2]!==String(width))&&
logger12.throwArgumentError("invalid numeric width","type",type);let boundsUpper=MaxUint2562.mask(signed2?width-1:width),
boundsLower=signed2?boundsUpper.add(One2).mul(NegativeOne3):Zero3;return function(value){let v=BigNumber.from(value);return(v.
lt(boundsLower)||v.gt(boundsUpper))&&logger12.throwArgumentError(`value out-of-bounds for ${type}`,"value",value),hexZeroPad(
v.toTwos(256).toHexString(),32)}}}{let match=type.match(/^bytes(\d+)$/);if(match){let width=parseInt(match[1]);return(width===
0||width>32||match[1]!==String(width))&&logger12.throwArgumentError("invalid bytes width","type",type),function(value){return arrayify2(
value).length!==width&&logger12.throwArgumentError(`invalid length for ${type}`,"value",value),hexPadRight(value)}}}switch(type){case"\
address":return function(value){return hexZeroPad(getAddress(value),32)};case"bool":return function(value){return value?
hexTrue:hexFalse};case"bytes":return function(value){return keccak2562(value)};case"string":return function(value){return id(
value)}}return null}__name(getBaseEncoder,"getBaseEncoder");function encodeType(name,fields){return`${name}(${fields.map(
({name:name2,type})=>type+" "+name2).join(",")})`}__name(encodeType,"encodeType");var TypedDataEncoder=class _TypedDataEncoder{static{
__name(this,"TypedDataEncoder")}constructor(types){defineReadOnly(this,"types",Object.freeze(deepCopy(types))),defineReadOnly(
this,"_encoderCache",{}),defineReadOnly(this,"_types",{});let links={},parents={},subtypes={};Object.keys(types).forEach(
type=>{links[type]={},parents[type]=[],subtypes[type]={}});for(let name in types){let uniqueNames={};types[name].forEach(
field=>{uniqueNames[field.name]&&logger12.throwArgumentError(`duplicate variable name ${JSON.stringify(field.name)} in ${JSON.
stringify(name)}`,"types",types),uniqueNames[field.name]=!0;let baseType=field.type.match(/^([^\x5b]*)(\x5b|$)/)[1];baseType===
name&&logger12.throwArgumentError(`circular type reference to ${JSON.stringify(baseType)}`,"types",types),!getBaseEncoder(
baseType)&&(parents[baseType]||logger12.throwArgumentError(`unknown type ${JSON.stringify(baseType)}`,"types",types),parents[baseType].
push(name),links[name][baseType]=!0)})}let primaryTypes=Object.keys(parents).filter(n=>parents[n].length===0);primaryTypes.
length===0?logger12.throwArgumentError("missing primary type","types",types):primaryTypes.length>1&&logger12.throwArgumentError(
`ambiguous primary types or unused types: ${primaryTypes.map(t=>JSON.stringify(t)).join(", ")}`,"types",types),defineReadOnly(
this,"primaryType",primaryTypes[0]);function checkCircular(type,found){found[type]&&logger12.throwArgumentError(`circula\
r type reference to ${JSON.stringify(type)}`,"types",types),found[type]=!0,Object.keys(links[type]).forEach(child=>{parents[child]&&
(checkCircular(child,found),Object.keys(found).forEach(subtype=>{subtypes[subtype][child]=!0}))}),delete found[type]}__name(
checkCircular,"checkCircular"),checkCircular(this.primaryType,{});for(let name in subtypes){let st=Object.keys(subtypes[name]);
st.sort(),this._types[name]=encodeType(name,types[name])+st.map(t=>encodeType(t,types[t])).join("")}}getEncoder(type){let encoder=this.
_encoderCache[type];return encoder||(encoder=this._encoderCache[type]=this._getEncoder(type)),encoder}_getEncoder(type){
{let encoder=getBaseEncoder(type);if(encoder)return encoder}let match=type.match(/^(.*)(\x5b(\d*)\x5d)$/);if(match){let subtype=match[1],
subEncoder=this.getEncoder(subtype),length=parseInt(match[3]);return value=>{length>=0&&value.length!==length&&logger12.
throwArgumentError("array length mismatch; expected length ${ arrayLength }","value",value);let result=value.map(subEncoder);
return this._types[subtype]&&(result=result.map(keccak2562)),keccak2562(hexConcat(result))}}let fields=this.types[type];
if(fields){let encodedType=id(this._types[type]);return value=>{let values=fields.map(({name,type:type2})=>{let result=this.
getEncoder(type2)(value[name]);return this._types[type2]?keccak2562(result):result});return values.unshift(encodedType),
hexConcat(values)}}return logger12.throwArgumentError(`unknown type: ${type}`,"type",type)}encodeType(name){let result=this.
_types[name];return result||logger12.throwArgumentError(`unknown type: ${JSON.stringify(name)}`,"name",name),result}encodeData(type,value){
return this.getEncoder(type)(value)}hashStruct(name,value){return keccak2562(this.encodeData(name,value))}encode(value){
return this.encodeData(this.primaryType,value)}hash(value){return this.hashStruct(this.primaryType,value)}_visit(type,value,callback){
if(getBaseEncoder(type))return callback(type,value);let match=type.match(/^(.*)(\x5b(\d*)\x5d)$/);if(match){let subtype=match[1],
length=parseInt(match[3]);return length>=0&&value.length!==length&&logger12.throwArgumentError("array length mismatch; e\
xpected length ${ arrayLength }","value",value),value.map(v=>this._visit(subtype,v,callback))}let fields=this.types[type];
return fields?fields.reduce((accum,{name,type:type2})=>(accum[name]=this._visit(type2,value[name],callback),accum),{}):logger12.
throwArgumentError(`unknown type: ${type}`,"type",type)}visit(value,callback){return this._visit(this.primaryType,value,
callback)}static from(types){return new _TypedDataEncoder(types)}static getPrimaryType(types){return _TypedDataEncoder.from(
types).primaryType}static hashStruct(name,types,value){return _TypedDataEncoder.from(types).hashStruct(name,value)}static hashDomain(domain){
let domainFields=[];for(let name in domain){let type=domainFieldTypes[name];type||logger12.throwArgumentError(`invalid t\
yped-data domain key: ${JSON.stringify(name)}`,"domain",domain),domainFields.push({name,type})}return domainFields.sort(
(a,b)=>domainFieldNames.indexOf(a.name)-domainFieldNames.indexOf(b.name)),_TypedDataEncoder.hashStruct("EIP712Domain",{EIP712Domain:domainFields},
domain)}static encode(domain,types,value){return hexConcat(["0x1901",_TypedDataEncoder.hashDomain(domain),_TypedDataEncoder.
from(types).hash(value)])}static hash(domain,types,value){return keccak2562(_TypedDataEncoder.encode(domain,types,value))}static resolveNames(domain,types,value,resolveName2){
return __awaiter2(this,void 0,void 0,function*(){domain=shallowCopy(domain);let ensCache={};domain.verifyingContract&&!isHexString(
domain.verifyingContract,20)&&(ensCache[domain.verifyingContract]="0x");let encoder=_TypedDataEncoder.from(types);encoder.
visit(value,(type,value2)=>(type==="address"&&!isHexString(value2,20)&&(ensCache[value2]="0x"),value2));for(let name in ensCache)
ensCache[name]=yield resolveName2(name);return domain.verifyingContract&&ensCache[domain.verifyingContract]&&(domain.verifyingContract=
ensCache[domain.verifyingContract]),value=encoder.visit(value,(type,value2)=>type==="address"&&ensCache[value2]?ensCache[value2]:
value2),{domain,value}})}static getPayload(domain,types,value){_TypedDataEncoder.hashDomain(domain);let domainValues={},
domainTypes=[];domainFieldNames.forEach(name=>{let value2=domain[name];value2!=null&&(domainValues[name]=domainChecks[name](
value2),domainTypes.push({name,type:domainFieldTypes[name]}))});let encoder=_TypedDataEncoder.from(types),typesWithDomain=shallowCopy(
types);return typesWithDomain.EIP712Domain?logger12.throwArgumentError("types must not contain EIP712Domain type","types\
.EIP712Domain",types):typesWithDomain.EIP712Domain=domainTypes,encoder.encode(value),{types:typesWithDomain,domain:domainValues,
primaryType:encoder.primaryType,message:encoder.visit(value,(type,value2)=>{if(type.match(/^bytes(\d*)/))return hexlify2(
arrayify2(value2));if(type.match(/^u?int/))return BigNumber.from(value2).toString();switch(type){case"address":return value2.
toLowerCase();case"bool":return!!value2;case"string":return typeof value2!="string"&&logger12.throwArgumentError("invali\
d string","value",value2),value2}return logger12.throwArgumentError("unsupported type","type",type)})}}};var names=__name(()=>(init_namehash(),__toCommonJS(namehash_exports)),"names"),dnsEncode2=__name(name=>names().dnsEncode(
name),"dnsEncode");var isValidName2=__name(name=>names().isValidName(name),"isValidName"),namehash2=__name(name=>names().namehash(name),"na\
mehash");init_lib4();init_lib();var logger14=new Logger(version5);var LogDescription=class extends Description{static{__name(this,"LogDescription")}},TransactionDescription=class extends Description{static{
__name(this,"TransactionDescription")}},ErrorDescription=class extends Description{static{__name(this,"ErrorDescription")}},
Indexed=class extends Description{static{__name(this,"Indexed")}static isIndexed(value){return!!(value&&value._isIndexed)}},
BuiltinErrors={"0x08c379a0":{signature:"Error(string)",name:"Error",inputs:["string"],reason:!0},"0x4e487b71":{signature:"\
Panic(uint256)",name:"Panic",inputs:["uint256"]}};function wrapAccessError(property,error){let wrap=new Error(`deferred \
error during ABI decoding triggered accessing ${property}`);return wrap.error=error,wrap}__name(wrapAccessError,"wrapAcc\
essError");var Interface=class{static{__name(this,"Interface")}constructor(fragments){let abi=[];typeof fragments=="stri\
ng"?abi=JSON.parse(fragments):abi=fragments,defineReadOnly(this,"fragments",abi.map(fragment=>Fragment.from(fragment)).filter(
fragment=>fragment!=null)),defineReadOnly(this,"_abiCoder",getStatic(new.target,"getAbiCoder")()),defineReadOnly(this,"f\
unctions",{}),defineReadOnly(this,"errors",{}),defineReadOnly(this,"events",{}),defineReadOnly(this,"structs",{}),this.fragments.
forEach(fragment=>{let bucket=null;switch(fragment.type){case"constructor":if(this.deploy){logger14.warn("duplicate defi\
nition - constructor");return}defineReadOnly(this,"deploy",fragment);return;case"function":bucket=this.functions;break;case"\
event":bucket=this.events;break;case"error":bucket=this.errors;break;default:return}let signature=fragment.format();if(bucket[signature]){
logger14.warn("duplicate definition - "+signature);return}bucket[signature]=fragment}),this.deploy||defineReadOnly(this,
"deploy",ConstructorFragment.from({payable:!1,type:"constructor"})),defineReadOnly(this,"_isInterface",!0)}format(format){
format||(format=FormatTypes.full),format===FormatTypes.sighash&&logger14.throwArgumentError("interface does not support \
formatting sighash","format",format);let abi=this.fragments.map(fragment=>fragment.format(format));return format===FormatTypes.
json?JSON.stringify(abi.map(j=>JSON.parse(j))):abi}static getAbiCoder(){return defaultAbiCoder}static getAddress(address){
return getAddress(address)}static getSighash(fragment){return hexDataSlice(id(fragment.format()),0,4)}static getEventTopic(eventFragment){
return id(eventFragment.format())}getFunction(nameOrSignatureOrSighash){if(isHexString(nameOrSignatureOrSighash)){for(let name in this.
functions)if(nameOrSignatureOrSighash===this.getSighash(name))return this.functions[name];logger14.throwArgumentError("n\
o matching function","sighash",nameOrSignatureOrSighash)}if(nameOrSignatureOrSighash.indexOf("(")===-1){let name=nameOrSignatureOrSighash.
trim(),matching=Object.keys(this.functions).filter(f2=>f2.split("(")[0]===name);return matching.length===0?logger14.throwArgumentError(
"no matching function","name",name):matching.length>1&&logger14.throwArgumentError("multiple matching functions","name",
name),this.functions[matching[0]]}let result=this.functions[FunctionFragment.fromString(nameOrSignatureOrSighash).format()];
return result||logger14.throwArgumentError("no matching function","signature",nameOrSignatureOrSighash),result}getEvent(nameOrSignatureOrTopic){
if(isHexString(nameOrSignatureOrTopic)){let topichash=nameOrSignatureOrTopic.toLowerCase();for(let name in this.events)if(topichash===
this.getEventTopic(name))return this.events[name];logger14.throwArgumentError("no matching event","topichash",topichash)}
if(nameOrSignatureOrTopic.indexOf("(")===-1){let name=nameOrSignatureOrTopic.trim(),matching=Object.keys(this.events).filter(
f2=>f2.split("(")[0]===name);return matching.length===0?logger14.throwArgumentError("no matching event","name",name):matching.
length>1&&logger14.throwArgumentError("multiple matching events","name",name),this.events[matching[0]]}let result=this.events[EventFragment.
fromString(nameOrSignatureOrTopic).format()];return result||logger14.throwArgumentError("no matching event","signature",
nameOrSignatureOrTopic),result}getError(nameOrSignatureOrSighash){if(isHexString(nameOrSignatureOrSighash)){let getSighash=getStatic(
this.constructor,"getSighash");for(let name in this.errors){let error=this.errors[name];if(nameOrSignatureOrSighash===getSighash(
error))return this.errors[name]}logger14.throwArgumentError("no matching error","sighash",nameOrSignatureOrSighash)}if(nameOrSignatureOrSighash.
indexOf("(")===-1){let name=nameOrSignatureOrSighash.trim(),matching=Object.keys(this.errors).filter(f2=>f2.split("(")[0]===
name);return matching.length===0?logger14.throwArgumentError("no matching error","name",name):matching.length>1&&logger14.
throwArgumentError("multiple matching errors","name",name),this.errors[matching[0]]}let result=this.errors[FunctionFragment.
fromString(nameOrSignatureOrSighash).format()];return result||logger14.throwArgumentError("no matching error","signature",
nameOrSignatureOrSighash),result}getSighash(fragment){if(typeof fragment=="string")try{fragment=this.getFunction(fragment)}catch(error){
try{fragment=this.getError(fragment)}catch{throw error}}return getStatic(this.constructor,"getSighash")(fragment)}getEventTopic(eventFragment){
return typeof eventFragment=="string"&&(eventFragment=this.getEvent(eventFragment)),getStatic(this.constructor,"getEvent\
Topic")(eventFragment)}_decodeParams(params,data){return this._abiCoder.decode(params,data)}_encodeParams(params,values){
return this._abiCoder.encode(params,values)}encodeDeploy(values){return this._encodeParams(this.deploy.inputs,values||[])}decodeErrorResult(fragment,data){
typeof fragment=="string"&&(fragment=this.getError(fragment));let bytes3=arrayify2(data);return hexlify2(bytes3.slice(0,
4))!==this.getSighash(fragment)&&logger14.throwArgumentError(`data signature does not match error ${fragment.name}.`,"da\
ta",hexlify2(bytes3)),this._decodeParams(fragment.inputs,bytes3.slice(4))}encodeErrorResult(fragment,values){return typeof fragment==
"string"&&(fragment=this.getError(fragment)),hexlify2(concat([this.getSighash(fragment),this._encodeParams(fragment.inputs,
values||[])]))}decodeFunctionData(functionFragment,data){typeof functionFragment=="string"&&(functionFragment=this.getFunction(
functionFragment));let bytes3=arrayify2(data);return hexlify2(bytes3.slice(0,4))!==this.getSighash(functionFragment)&&logger14.
throwArgumentError(`data signature does not match function ${functionFragment.name}.`,"data",hexlify2(bytes3)),this._decodeParams(
functionFragment.inputs,bytes3.slice(4))}encodeFunctionData(functionFragment,values){return typeof functionFragment=="st\
ring"&&(functionFragment=this.getFunction(functionFragment)),hexlify2(concat([this.getSighash(functionFragment),this._encodeParams(
functionFragment.inputs,values||[])]))}decodeFunctionResult(functionFragment,data){typeof functionFragment=="string"&&(functionFragment=
this.getFunction(functionFragment));let bytes3=arrayify2(data),reason=null,message="",errorArgs=null,errorName=null,errorSignature=null;
switch(bytes3.length%this._abiCoder._getWordSize()){case 0:try{return this._abiCoder.decode(functionFragment.outputs,bytes3)}catch{}
break;case 4:{let selector=hexlify2(bytes3.slice(0,4)),builtin=BuiltinErrors[selector];if(builtin)errorArgs=this._abiCoder.
decode(builtin.inputs,bytes3.slice(4)),errorName=builtin.name,errorSignature=builtin.signature,builtin.reason&&(reason=errorArgs[0]),
errorName==="Error"?message=`; VM Exception while processing transaction: reverted with reason string ${JSON.stringify(errorArgs[0])}`:
errorName==="Panic"&&(message=`; VM Exception while processing transaction: reverted with panic code ${errorArgs[0]}`);else
try{let error=this.getError(selector);errorArgs=this._abiCoder.decode(error.inputs,bytes3.slice(4)),errorName=error.name,
errorSignature=error.format()}catch{}break}}return logger14.throwError("call revert exception"+message,Logger.errors.CALL_EXCEPTION,
{method:functionFragment.format(),data:hexlify2(data),errorArgs,errorName,errorSignature,reason})}encodeFunctionResult(functionFragment,values){
return typeof functionFragment=="string"&&(functionFragment=this.getFunction(functionFragment)),hexlify2(this._abiCoder.
encode(functionFragment.outputs,values||[]))}encodeFilterTopics(eventFragment,values){typeof eventFragment=="string"&&(eventFragment=
this.getEvent(eventFragment)),values.length>eventFragment.inputs.length&&logger14.throwError("too many arguments for "+eventFragment.
format(),Logger.errors.UNEXPECTED_ARGUMENT,{argument:"values",value:values});let topics=[];eventFragment.anonymous||topics.
push(this.getEventTopic(eventFragment));let encodeTopic=__name((param,value)=>param.type==="string"?id(value):param.type===
"bytes"?keccak2562(hexlify2(value)):(param.type==="bool"&&typeof value=="boolean"&&(value=value?"0x01":"0x00"),param.type.
match(/^u?int/)&&(value=BigNumber.from(value).toHexString()),param.type==="address"&&this._abiCoder.encode(["address"],[
value]),hexZeroPad(hexlify2(value),32)),"encodeTopic");for(values.forEach((value,index)=>{let param=eventFragment.inputs[index];
if(!param.indexed){value!=null&&logger14.throwArgumentError("cannot filter non-indexed parameters; must be null","contra\
ct."+param.name,value);return}value==null?topics.push(null):param.baseType==="array"||param.baseType==="tuple"?logger14.
throwArgumentError("filtering with tuples or arrays not supported","contract."+param.name,value):Array.isArray(value)?topics.
push(value.map(value2=>encodeTopic(param,value2))):topics.push(encodeTopic(param,value))});topics.length&&topics[topics.
length-1]===null;)topics.pop();return topics}encodeEventLog(eventFragment,values){typeof eventFragment=="string"&&(eventFragment=
this.getEvent(eventFragment));let topics=[],dataTypes=[],dataValues=[];return eventFragment.anonymous||topics.push(this.
getEventTopic(eventFragment)),values.length!==eventFragment.inputs.length&&logger14.throwArgumentError("event arguments/\
values mismatch","values",values),eventFragment.inputs.forEach((param,index)=>{let value=values[index];if(param.indexed)
if(param.type==="string")topics.push(id(value));else if(param.type==="bytes")topics.push(keccak2562(value));else{if(param.
baseType==="tuple"||param.baseType==="array")throw new Error("not implemented");topics.push(this._abiCoder.encode([param.
type],[value]))}else dataTypes.push(param),dataValues.push(value)}),{data:this._abiCoder.encode(dataTypes,dataValues),topics}}decodeEventLog(eventFragment,data,topics){
if(typeof eventFragment=="string"&&(eventFragment=this.getEvent(eventFragment)),topics!=null&&!eventFragment.anonymous){
let topicHash=this.getEventTopic(eventFragment);(!isHexString(topics[0],32)||topics[0].toLowerCase()!==topicHash)&&logger14.
throwError("fragment/topic mismatch",Logger.errors.INVALID_ARGUMENT,{argument:"topics[0]",expected:topicHash,value:topics[0]}),
topics=topics.slice(1)}let indexed=[],nonIndexed=[],dynamic=[];eventFragment.inputs.forEach((param,index)=>{param.indexed?
param.type==="string"||param.type==="bytes"||param.baseType==="tuple"||param.baseType==="array"?(indexed.push(ParamType.
fromObject({type:"bytes32",name:param.name})),dynamic.push(!0)):(indexed.push(param),dynamic.push(!1)):(nonIndexed.push(
param),dynamic.push(!1))});let resultIndexed=topics!=null?this._abiCoder.decode(indexed,concat(topics)):null,resultNonIndexed=this.
_abiCoder.decode(nonIndexed,data,!0),result=[],nonIndexedIndex=0,indexedIndex=0;eventFragment.inputs.forEach((param,index)=>{
if(param.indexed)if(resultIndexed==null)result[index]=new Indexed({_isIndexed:!0,hash:null});else if(dynamic[index])result[index]=
new Indexed({_isIndexed:!0,hash:resultIndexed[indexedIndex++]});else try{result[index]=resultIndexed[indexedIndex++]}catch(error){
result[index]=error}else try{result[index]=resultNonIndexed[nonIndexedIndex++]}catch(error){result[index]=error}if(param.
name&&result[param.name]==null){let value=result[index];value instanceof Error?Object.defineProperty(result,param.name,{
enumerable:!0,get:__name(()=>{throw wrapAccessError(`property ${JSON.stringify(param.name)}`,value)},"get")}):result[param.
name]=value}});for(let i=0;i<result.length;i++){let value=result[i];value instanceof Error&&Object.defineProperty(result,
i,{enumerable:!0,get:__name(()=>{throw wrapAccessError(`index ${i}`,value)},"get")})}return Object.freeze(result)}parseTransaction(tx){
let fragment=this.getFunction(tx.data.substring(0,10).toLowerCase());return fragment?new TransactionDescription({args:this.
_abiCoder.decode(fragment.inputs,"0x"+tx.data.substring(10)),functionFragment:fragment,name:fragment.name,signature:fragment.
format(),sighash:this.getSighash(fragment),value:BigNumber.from(tx.value||"0")}):null}parseLog(log){let fragment=this.getEvent(
log.topics[0]);return!fragment||fragment.anonymous?null:new LogDescription({eventFragment:fragment,name:fragment.name,signature:fragment.
format(),topic:this.getEventTopic(fragment),args:this.decodeEventLog(fragment,log.data,log.topics)})}parseError(data){let hexData=hexlify2(
data),fragment=this.getError(hexData.substring(0,10).toLowerCase());return fragment?new ErrorDescription({args:this._abiCoder.
decode(fragment.inputs,"0x"+hexData.substring(10)),errorFragment:fragment,name:fragment.name,signature:fragment.format(),
sighash:this.getSighash(fragment)}):null}static isInterface(value){return!!(value&&value._isInterface)}};init_lib3();init_ethersproject_bytes();init_lib();var version10="abstract-provider/5.7.0";var __awaiter3=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger15=new Logger(version10),ForkEvent=class extends Description{static{__name(this,"ForkEvent")}static isForkEvent(value){
return!!(value&&value._isForkEvent)}};var Provider=class _Provider{static{__name(this,"Provider")}constructor(){logger15.checkAbstract(new.target,_Provider),defineReadOnly(
this,"_isProvider",!0)}getFeeData(){return __awaiter3(this,void 0,void 0,function*(){let{block,gasPrice}=yield resolveProperties(
{block:this.getBlock("latest"),gasPrice:this.getGasPrice().catch(error=>null)}),lastBaseFeePerGas=null,maxFeePerGas=null,
maxPriorityFeePerGas=null;return block&&block.baseFeePerGas&&(lastBaseFeePerGas=block.baseFeePerGas,maxPriorityFeePerGas=
BigNumber.from("1500000000"),maxFeePerGas=block.baseFeePerGas.mul(2).add(maxPriorityFeePerGas)),{lastBaseFeePerGas,maxFeePerGas,
maxPriorityFeePerGas,gasPrice}})}addListener(eventName,listener){return this.on(eventName,listener)}removeListener(eventName,listener){
return this.off(eventName,listener)}static isProvider(value){return!!(value&&value._isProvider)}};init_lib();var version11="abstract-signer/5.7.0";var __awaiter4=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger16=new Logger(version11),allowedTransactionKeys=["accessList","ccipReadEnabled","chainId","customData","data","fro\
m","gasLimit","gasPrice","maxFeePerGas","maxPriorityFeePerGas","nonce","to","type","value"],forwardErrors=[Logger.errors.
INSUFFICIENT_FUNDS,Logger.errors.NONCE_EXPIRED,Logger.errors.REPLACEMENT_UNDERPRICED],Signer=class _Signer{static{__name(
this,"Signer")}constructor(){logger16.checkAbstract(new.target,_Signer),defineReadOnly(this,"_isSigner",!0)}getBalance(blockTag){
return __awaiter4(this,void 0,void 0,function*(){return this._checkProvider("getBalance"),yield this.provider.getBalance(
this.getAddress(),blockTag)})}getTransactionCount(blockTag){return __awaiter4(this,void 0,void 0,function*(){return this.
_checkProvider("getTransactionCount"),yield this.provider.getTransactionCount(this.getAddress(),blockTag)})}estimateGas(transaction){
return __awaiter4(this,void 0,void 0,function*(){this._checkProvider("estimateGas");let tx=yield resolveProperties(this.
checkTransaction(transaction));return yield this.provider.estimateGas(tx)})}call(transaction,blockTag){return __awaiter4(
this,void 0,void 0,function*(){this._checkProvider("call");let tx=yield resolveProperties(this.checkTransaction(transaction));
return yield this.provider.call(tx,blockTag)})}sendTransaction(transaction){return __awaiter4(this,void 0,void 0,function*(){
this._checkProvider("sendTransaction");let tx=yield this.populateTransaction(transaction),signedTx=yield this.signTransaction(
tx);return yield this.provider.sendTransaction(signedTx)})}getChainId(){return __awaiter4(this,void 0,void 0,function*(){
return this._checkProvider("getChainId"),(yield this.provider.getNetwork()).chainId})}getGasPrice(){return __awaiter4(this,
void 0,void 0,function*(){return this._checkProvider("getGasPrice"),yield this.provider.getGasPrice()})}getFeeData(){return __awaiter4(
this,void 0,void 0,function*(){return this._checkProvider("getFeeData"),yield this.provider.getFeeData()})}resolveName(name){
return __awaiter4(this,void 0,void 0,function*(){return this._checkProvider("resolveName"),yield this.provider.resolveName(
name)})}checkTransaction(transaction){for(let key in transaction)allowedTransactionKeys.indexOf(key)===-1&&logger16.throwArgumentError(
"invalid transaction key: "+key,"transaction",transaction);let tx=shallowCopy(transaction);return tx.from==null?tx.from=
this.getAddress():tx.from=Promise.all([Promise.resolve(tx.from),this.getAddress()]).then(result=>(result[0].toLowerCase()!==
result[1].toLowerCase()&&logger16.throwArgumentError("from address mismatch","transaction",transaction),result[0])),tx}populateTransaction(transaction){
return __awaiter4(this,void 0,void 0,function*(){let tx=yield resolveProperties(this.checkTransaction(transaction));tx.to!=
null&&(tx.to=Promise.resolve(tx.to).then(to=>__awaiter4(this,void 0,void 0,function*(){if(to==null)return null;let address=yield this.
resolveName(to);return address==null&&logger16.throwArgumentError("provided ENS name resolves to null","tx.to",to),address})),
tx.to.catch(error=>{}));let hasEip1559=tx.maxFeePerGas!=null||tx.maxPriorityFeePerGas!=null;if(tx.gasPrice!=null&&(tx.type===
2||hasEip1559)?logger16.throwArgumentError("eip-1559 transaction do not support gasPrice","transaction",transaction):(tx.
type===0||tx.type===1)&&hasEip1559&&logger16.throwArgumentError("pre-eip-1559 transaction do not support maxFeePerGas/ma\
xPriorityFeePerGas","transaction",transaction),(tx.type===2||tx.type==null)&&tx.maxFeePerGas!=null&&tx.maxPriorityFeePerGas!=
null)tx.type=2;else if(tx.type===0||tx.type===1)tx.gasPrice==null&&(tx.gasPrice=this.getGasPrice());else{let feeData=yield this.
getFeeData();if(tx.type==null)if(feeData.maxFeePerGas!=null&&feeData.maxPriorityFeePerGas!=null)if(tx.type=2,tx.gasPrice!=
null){let gasPrice=tx.gasPrice;delete tx.gasPrice,tx.maxFeePerGas=gasPrice,tx.maxPriorityFeePerGas=gasPrice}else tx.maxFeePerGas==
null&&(tx.maxFeePerGas=feeData.maxFeePerGas),tx.maxPriorityFeePerGas==null&&(tx.maxPriorityFeePerGas=feeData.maxPriorityFeePerGas);else
feeData.gasPrice!=null?(hasEip1559&&logger16.throwError("network does not support EIP-1559",Logger.errors.UNSUPPORTED_OPERATION,
{operation:"populateTransaction"}),tx.gasPrice==null&&(tx.gasPrice=feeData.gasPrice),tx.type=0):logger16.throwError("fai\
led to get consistent fee data",Logger.errors.UNSUPPORTED_OPERATION,{operation:"signer.getFeeData"});else tx.type===2&&(tx.
maxFeePerGas==null&&(tx.maxFeePerGas=feeData.maxFeePerGas),tx.maxPriorityFeePerGas==null&&(tx.maxPriorityFeePerGas=feeData.
maxPriorityFeePerGas))}return tx.nonce==null&&(tx.nonce=this.getTransactionCount("pending")),tx.gasLimit==null&&(tx.gasLimit=
this.estimateGas(tx).catch(error=>{if(forwardErrors.indexOf(error.code)>=0)throw error;return logger16.throwError("canno\
t estimate gas; transaction may fail or may require manual gas limit",Logger.errors.UNPREDICTABLE_GAS_LIMIT,{error,tx})})),
tx.chainId==null?tx.chainId=this.getChainId():tx.chainId=Promise.all([Promise.resolve(tx.chainId),this.getChainId()]).then(
results=>(results[1]!==0&&results[0]!==results[1]&&logger16.throwArgumentError("chainId address mismatch","transaction",
transaction),results[0])),yield resolveProperties(tx)})}_checkProvider(operation){this.provider||logger16.throwError("mi\
ssing provider",Logger.errors.UNSUPPORTED_OPERATION,{operation:operation||"_checkProvider"})}static isSigner(value){return!!(value&&
value._isSigner)}},VoidSigner=class _VoidSigner extends Signer{static{__name(this,"VoidSigner")}constructor(address,provider){
super(),defineReadOnly(this,"address",address),defineReadOnly(this,"provider",provider||null)}getAddress(){return Promise.
resolve(this.address)}_fail(message,operation){return Promise.resolve().then(()=>{logger16.throwError(message,Logger.errors.
UNSUPPORTED_OPERATION,{operation})})}signMessage(message){return this._fail("VoidSigner cannot sign messages","signMessa\
ge")}signTransaction(transaction){return this._fail("VoidSigner cannot sign transactions","signTransaction")}_signTypedData(domain,types,value){
return this._fail("VoidSigner cannot sign typed data","signTypedData")}connect(provider){return new _VoidSigner(this.address,
provider)}};init_lib3();init_ethersproject_bytes();init_lib3();init_ethersproject_bytes();init_lib5();init_lib4();init_ethersproject_bytes();init_lib();init_natives();var COORDINATE_DIGITS=64,compressed=__name(point=>(parseInt(point[point.length-1],16)%2===0?"02":"03")+point.slice(2,2+COORDINATE_DIGITS),
"compressed"),sign=__name((privateKey,digest2)=>{let signature=signRecoverable(privateKey,digest2);if(signature!=="")return{
r:signature.slice(0,COORDINATE_DIGITS),s:signature.slice(COORDINATE_DIGITS,2*COORDINATE_DIGITS),recovery:Number(signature.
slice(2*COORDINATE_DIGITS))}},"sign"),recovered=__name((digest2,r2,s,recovery)=>recover(digest2,r2+s,recovery),"recovere\
d");init_natives();var logger17=new Logger("signing-key/5.7.0"),flat2=__name(bytes3=>toHex(arrayify2(bytes3)),"flat"),ORDER="ffffffffffffff\
fffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",scalarOf=__name(privateKey=>{let scalar=flat2(privateKey);return scalar.
length!==ORDER.length||scalar<ORDER?scalar:(BigInt(`0x${scalar}`)-BigInt(`0x${ORDER}`)).toString(16).padStart(ORDER.length,
"0")},"scalarOf"),pointOf=__name(text=>{if(text==="")throw new Error("invalid point");return text},"pointOf"),SigningKey=class{static{
__name(this,"SigningKey")}constructor(privateKey){defineReadOnly(this,"curve","secp256k1"),defineReadOnly(this,"privateK\
ey",hexlify2(privateKey)),hexDataLength(this.privateKey)!==32&&logger17.throwArgumentError("invalid private key","privat\
eKey","[[ REDACTED ]]");let point=publicKey(scalarOf(this.privateKey));point===""&&logger17.throwArgumentError("invalid \
private key","privateKey","[[ REDACTED ]]"),defineReadOnly(this,"publicKey",`0x${point}`),defineReadOnly(this,"compresse\
dPublicKey",`0x${compressed(point)}`),defineReadOnly(this,"_isSigningKey",!0)}_addPoint(other){return`0x${compressed(pointOf(
addPoints(flat2(this.publicKey),flat2(other))))}`}signDigest(digest2){let bytes3=arrayify2(digest2);bytes3.length!==32&&
logger17.throwArgumentError("bad digest length","digest",digest2);let{r:r2,s,recovery}=sign(scalarOf(this.privateKey),toHex(
bytes3));return splitSignature({recoveryParam:recovery,r:`0x${r2}`,s:`0x${s}`})}computeSharedSecret(otherKey){let shared=multiplyPoint(
flat2(computePublicKey(otherKey)),scalarOf(this.privateKey));return`0x${pointOf(shared).slice(2,66)}`}static isSigningKey(value){
return!!(value&&value._isSigningKey)}};function recoverPublicKey(digest2,signature){let{r:r2,s,recoveryParam}=splitSignature(
signature);return`0x${pointOf(recovered(flat2(digest2),flat2(r2),flat2(s),recoveryParam))}`}__name(recoverPublicKey,"rec\
overPublicKey");function computePublicKey(key,isCompressed){let bytes3=arrayify2(key);if(bytes3.length===32){let signingKey=new SigningKey(
bytes3);return isCompressed?signingKey.compressedPublicKey:signingKey.publicKey}if(bytes3.length===33||bytes3.length===65){
if(isCompressed?bytes3.length===33:bytes3.length===65)return hexlify2(bytes3);let point=pointOf(parsePoint(toHex(bytes3)));
return`0x${isCompressed?compressed(point):point}`}return logger17.throwArgumentError("invalid public or private key","ke\
y","[REDACTED]")}__name(computePublicKey,"computePublicKey");init_lib();var version12="transactions/5.7.0";var logger18=new Logger(version12),TransactionTypes;(function(TransactionTypes2){TransactionTypes2[TransactionTypes2.legacy=
0]="legacy",TransactionTypes2[TransactionTypes2.eip2930=1]="eip2930",TransactionTypes2[TransactionTypes2.eip1559=2]="eip\
1559"})(TransactionTypes||(TransactionTypes={}));function handleAddress(value){return value==="0x"?null:getAddress(value)}
__name(handleAddress,"handleAddress");function handleNumber(value){return value==="0x"?Zero2:BigNumber.from(value)}__name(
handleNumber,"handleNumber");var transactionFields=[{name:"nonce",maxLength:32,numeric:!0},{name:"gasPrice",maxLength:32,
numeric:!0},{name:"gasLimit",maxLength:32,numeric:!0},{name:"to",length:20},{name:"value",maxLength:32,numeric:!0},{name:"\
data"}],allowedTransactionKeys2={chainId:!0,data:!0,gasLimit:!0,gasPrice:!0,nonce:!0,to:!0,type:!0,value:!0};function computeAddress(key){
let publicKey2=computePublicKey(key);return getAddress(hexDataSlice(keccak2562(hexDataSlice(publicKey2,1)),12))}__name(computeAddress,
"computeAddress");function recoverAddress(digest2,signature){return computeAddress(recoverPublicKey(arrayify2(digest2),signature))}
__name(recoverAddress,"recoverAddress");function formatNumber(value,name){let result=stripZeros(BigNumber.from(value).toHexString());
return result.length>32&&logger18.throwArgumentError("invalid length for "+name,"transaction:"+name,value),result}__name(
formatNumber,"formatNumber");function accessSetify(addr,storageKeys){return{address:getAddress(addr),storageKeys:(storageKeys||
[]).map((storageKey,index)=>(hexDataLength(storageKey)!==32&&logger18.throwArgumentError("invalid access list storageKey",
`accessList[${addr}:${index}]`,storageKey),storageKey.toLowerCase()))}}__name(accessSetify,"accessSetify");function accessListify(value){
if(Array.isArray(value))return value.map((set,index)=>Array.isArray(set)?(set.length>2&&logger18.throwArgumentError("acc\
ess list expected to be [ address, storageKeys[] ]",`value[${index}]`,set),accessSetify(set[0],set[1])):accessSetify(set.
address,set.storageKeys));let result=Object.keys(value).map(addr=>{let storageKeys=value[addr].reduce((accum,storageKey)=>(accum[storageKey]=
!0,accum),{});return accessSetify(addr,Object.keys(storageKeys).sort())});return result.sort((a,b)=>a.address.localeCompare(
b.address)),result}__name(accessListify,"accessListify");function formatAccessList(value){return accessListify(value).map(
set=>[set.address,set.storageKeys])}__name(formatAccessList,"formatAccessList");function _serializeEip1559(transaction,signature){
if(transaction.gasPrice!=null){let gasPrice=BigNumber.from(transaction.gasPrice),maxFeePerGas=BigNumber.from(transaction.
maxFeePerGas||0);gasPrice.eq(maxFeePerGas)||logger18.throwArgumentError("mismatch EIP-1559 gasPrice != maxFeePerGas","tx",
{gasPrice,maxFeePerGas})}let fields=[formatNumber(transaction.chainId||0,"chainId"),formatNumber(transaction.nonce||0,"n\
once"),formatNumber(transaction.maxPriorityFeePerGas||0,"maxPriorityFeePerGas"),formatNumber(transaction.maxFeePerGas||0,
"maxFeePerGas"),formatNumber(transaction.gasLimit||0,"gasLimit"),transaction.to!=null?getAddress(transaction.to):"0x",formatNumber(
transaction.value||0,"value"),transaction.data||"0x",formatAccessList(transaction.accessList||[])];if(signature){let sig=splitSignature(
signature);fields.push(formatNumber(sig.recoveryParam,"recoveryParam")),fields.push(stripZeros(sig.r)),fields.push(stripZeros(
sig.s))}return hexConcat(["0x02",encode(fields)])}__name(_serializeEip1559,"_serializeEip1559");function _serializeEip2930(transaction,signature){
let fields=[formatNumber(transaction.chainId||0,"chainId"),formatNumber(transaction.nonce||0,"nonce"),formatNumber(transaction.
gasPrice||0,"gasPrice"),formatNumber(transaction.gasLimit||0,"gasLimit"),transaction.to!=null?getAddress(transaction.to):
"0x",formatNumber(transaction.value||0,"value"),transaction.data||"0x",formatAccessList(transaction.accessList||[])];if(signature){
let sig=splitSignature(signature);fields.push(formatNumber(sig.recoveryParam,"recoveryParam")),fields.push(stripZeros(sig.
r)),fields.push(stripZeros(sig.s))}return hexConcat(["0x01",encode(fields)])}__name(_serializeEip2930,"_serializeEip2930");
function _serialize(transaction,signature){checkProperties(transaction,allowedTransactionKeys2);let raw=[];transactionFields.
forEach(function(fieldInfo){let value=transaction[fieldInfo.name]||[],options={};fieldInfo.numeric&&(options.hexPad="lef\
t"),value=arrayify2(hexlify2(value,options)),fieldInfo.length&&value.length!==fieldInfo.length&&value.length>0&&logger18.
throwArgumentError("invalid length for "+fieldInfo.name,"transaction:"+fieldInfo.name,value),fieldInfo.maxLength&&(value=
stripZeros(value),value.length>fieldInfo.maxLength&&logger18.throwArgumentError("invalid length for "+fieldInfo.name,"tr\
ansaction:"+fieldInfo.name,value)),raw.push(hexlify2(value))});let chainId=0;if(transaction.chainId!=null?(chainId=transaction.
chainId,typeof chainId!="number"&&logger18.throwArgumentError("invalid transaction.chainId","transaction",transaction)):
signature&&!isBytesLike(signature)&&signature.v>28&&(chainId=Math.floor((signature.v-35)/2)),chainId!==0&&(raw.push(hexlify2(
chainId)),raw.push("0x"),raw.push("0x")),!signature)return encode(raw);let sig=splitSignature(signature),v=27+sig.recoveryParam;
return chainId!==0?(raw.pop(),raw.pop(),raw.pop(),v+=chainId*2+8,sig.v>28&&sig.v!==v&&logger18.throwArgumentError("trans\
action.chainId/signature.v mismatch","signature",signature)):sig.v!==v&&logger18.throwArgumentError("transaction.chainId\
/signature.v mismatch","signature",signature),raw.push(hexlify2(v)),raw.push(stripZeros(arrayify2(sig.r))),raw.push(stripZeros(
arrayify2(sig.s))),encode(raw)}__name(_serialize,"_serialize");function serialize(transaction,signature){if(transaction.
type==null||transaction.type===0)return transaction.accessList!=null&&logger18.throwArgumentError("untyped transactions \
do not support accessList; include type: 1","transaction",transaction),_serialize(transaction,signature);switch(transaction.
type){case 1:return _serializeEip2930(transaction,signature);case 2:return _serializeEip1559(transaction,signature);default:
break}return logger18.throwError(`unsupported transaction type: ${transaction.type}`,Logger.errors.UNSUPPORTED_OPERATION,
{operation:"serializeTransaction",transactionType:transaction.type})}__name(serialize,"serialize");function _parseEipSignature(tx,fields,serialize3){
try{let recid=handleNumber(fields[0]).toNumber();if(recid!==0&&recid!==1)throw new Error("bad recid");tx.v=recid}catch{logger18.
throwArgumentError("invalid v for transaction type: 1","v",fields[0])}tx.r=hexZeroPad(fields[1],32),tx.s=hexZeroPad(fields[2],
32);try{let digest2=keccak2562(serialize3(tx));tx.from=recoverAddress(digest2,{r:tx.r,s:tx.s,recoveryParam:tx.v})}catch{}}
__name(_parseEipSignature,"_parseEipSignature");function _parseEip1559(payload){let transaction=decode(payload.slice(1));
transaction.length!==9&&transaction.length!==12&&logger18.throwArgumentError("invalid component count for transaction ty\
pe: 2","payload",hexlify2(payload));let maxPriorityFeePerGas=handleNumber(transaction[2]),maxFeePerGas=handleNumber(transaction[3]),
tx={type:2,chainId:handleNumber(transaction[0]).toNumber(),nonce:handleNumber(transaction[1]).toNumber(),maxPriorityFeePerGas,
maxFeePerGas,gasPrice:null,gasLimit:handleNumber(transaction[4]),to:handleAddress(transaction[5]),value:handleNumber(transaction[6]),
data:transaction[7],accessList:accessListify(transaction[8])};return transaction.length===9||(tx.hash=keccak2562(payload),
_parseEipSignature(tx,transaction.slice(9),_serializeEip1559)),tx}__name(_parseEip1559,"_parseEip1559");function _parseEip2930(payload){
let transaction=decode(payload.slice(1));transaction.length!==8&&transaction.length!==11&&logger18.throwArgumentError("i\
nvalid component count for transaction type: 1","payload",hexlify2(payload));let tx={type:1,chainId:handleNumber(transaction[0]).
toNumber(),nonce:handleNumber(transaction[1]).toNumber(),gasPrice:handleNumber(transaction[2]),gasLimit:handleNumber(transaction[3]),
to:handleAddress(transaction[4]),value:handleNumber(transaction[5]),data:transaction[6],accessList:accessListify(transaction[7])};
return transaction.length===8||(tx.hash=keccak2562(payload),_parseEipSignature(tx,transaction.slice(8),_serializeEip2930)),
tx}__name(_parseEip2930,"_parseEip2930");function _parse(rawTransaction){let transaction=decode(rawTransaction);transaction.
length!==9&&transaction.length!==6&&logger18.throwArgumentError("invalid raw transaction","rawTransaction",rawTransaction);
let tx={nonce:handleNumber(transaction[0]).toNumber(),gasPrice:handleNumber(transaction[1]),gasLimit:handleNumber(transaction[2]),
to:handleAddress(transaction[3]),value:handleNumber(transaction[4]),data:transaction[5],chainId:0};if(transaction.length===
6)return tx;try{tx.v=BigNumber.from(transaction[6]).toNumber()}catch{return tx}if(tx.r=hexZeroPad(transaction[7],32),tx.
s=hexZeroPad(transaction[8],32),BigNumber.from(tx.r).isZero()&&BigNumber.from(tx.s).isZero())tx.chainId=tx.v,tx.v=0;else{
tx.chainId=Math.floor((tx.v-35)/2),tx.chainId<0&&(tx.chainId=0);let recoveryParam=tx.v-27,raw=transaction.slice(0,6);tx.
chainId!==0&&(raw.push(hexlify2(tx.chainId)),raw.push("0x"),raw.push("0x"),recoveryParam-=tx.chainId*2+8);let digest2=keccak2562(
encode(raw));try{tx.from=recoverAddress(digest2,{r:hexlify2(tx.r),s:hexlify2(tx.s),recoveryParam})}catch{}tx.hash=keccak2562(
rawTransaction)}return tx.type=null,tx}__name(_parse,"_parse");function parse(rawTransaction){let payload=arrayify2(rawTransaction);
if(payload[0]>127)return _parse(payload);switch(payload[0]){case 1:return _parseEip2930(payload);case 2:return _parseEip1559(
payload);default:break}return logger18.throwError(`unsupported transaction type: ${payload[0]}`,Logger.errors.UNSUPPORTED_OPERATION,
{operation:"parseTransaction",transactionType:payload[0]})}__name(parse,"parse");init_lib();var version13="contracts/5.7.0";var __awaiter5=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger19=new Logger(version13),allowedTransactionKeys3={chainId:!0,data:!0,from:!0,gasLimit:!0,gasPrice:!0,nonce:!0,to:!0,
value:!0,type:!0,accessList:!0,maxFeePerGas:!0,maxPriorityFeePerGas:!0,customData:!0,ccipReadEnabled:!0};function resolveName(resolver,nameOrPromise){
return __awaiter5(this,void 0,void 0,function*(){let name=yield nameOrPromise;typeof name!="string"&&logger19.throwArgumentError(
"invalid address or ENS name","name",name);try{return getAddress(name)}catch{}resolver||logger19.throwError("a provider \
or signer is needed to resolve ENS names",Logger.errors.UNSUPPORTED_OPERATION,{operation:"resolveName"});let address=yield resolver.
resolveName(name);return address==null&&logger19.throwArgumentError("resolver or addr is not configured for ENS name","n\
ame",name),address})}__name(resolveName,"resolveName");function resolveAddresses(resolver,value,paramType){return __awaiter5(
this,void 0,void 0,function*(){return Array.isArray(paramType)?yield Promise.all(paramType.map((paramType2,index)=>resolveAddresses(
resolver,Array.isArray(value)?value[index]:value[paramType2.name],paramType2))):paramType.type==="address"?yield resolveName(
resolver,value):paramType.type==="tuple"?yield resolveAddresses(resolver,value,paramType.components):paramType.baseType===
"array"?Array.isArray(value)?yield Promise.all(value.map(v=>resolveAddresses(resolver,v,paramType.arrayChildren))):Promise.
reject(logger19.makeError("invalid value for array",Logger.errors.INVALID_ARGUMENT,{argument:"value",value})):value})}__name(
resolveAddresses,"resolveAddresses");function populateTransaction(contract,fragment,args){return __awaiter5(this,void 0,
void 0,function*(){let overrides={};args.length===fragment.inputs.length+1&&typeof args[args.length-1]=="object"&&(overrides=
shallowCopy(args.pop())),logger19.checkArgumentCount(args.length,fragment.inputs.length,"passed to contract"),contract.signer?
overrides.from?overrides.from=resolveProperties({override:resolveName(contract.signer,overrides.from),signer:contract.signer.
getAddress()}).then(check=>__awaiter5(this,void 0,void 0,function*(){return getAddress(check.signer)!==check.override&&logger19.
throwError("Contract with a Signer cannot override from",Logger.errors.UNSUPPORTED_OPERATION,{operation:"overrides.from"}),
check.override})):overrides.from=contract.signer.getAddress():overrides.from&&(overrides.from=resolveName(contract.provider,
overrides.from));let resolved=yield resolveProperties({args:resolveAddresses(contract.signer||contract.provider,args,fragment.
inputs),address:contract.resolvedAddress,overrides:resolveProperties(overrides)||{}}),data=contract.interface.encodeFunctionData(
fragment,resolved.args),tx={data,to:resolved.address},ro=resolved.overrides;if(ro.nonce!=null&&(tx.nonce=BigNumber.from(
ro.nonce).toNumber()),ro.gasLimit!=null&&(tx.gasLimit=BigNumber.from(ro.gasLimit)),ro.gasPrice!=null&&(tx.gasPrice=BigNumber.
from(ro.gasPrice)),ro.maxFeePerGas!=null&&(tx.maxFeePerGas=BigNumber.from(ro.maxFeePerGas)),ro.maxPriorityFeePerGas!=null&&
(tx.maxPriorityFeePerGas=BigNumber.from(ro.maxPriorityFeePerGas)),ro.from!=null&&(tx.from=ro.from),ro.type!=null&&(tx.type=
ro.type),ro.accessList!=null&&(tx.accessList=accessListify(ro.accessList)),tx.gasLimit==null&&fragment.gas!=null){let intrinsic=21e3,
bytes3=arrayify2(data);for(let i=0;i<bytes3.length;i++)intrinsic+=4,bytes3[i]&&(intrinsic+=64);tx.gasLimit=BigNumber.from(
fragment.gas).add(intrinsic)}if(ro.value){let roValue=BigNumber.from(ro.value);!roValue.isZero()&&!fragment.payable&&logger19.
throwError("non-payable method cannot override value",Logger.errors.UNSUPPORTED_OPERATION,{operation:"overrides.value",value:overrides.
value}),tx.value=roValue}ro.customData&&(tx.customData=shallowCopy(ro.customData)),ro.ccipReadEnabled&&(tx.ccipReadEnabled=
!!ro.ccipReadEnabled),delete overrides.nonce,delete overrides.gasLimit,delete overrides.gasPrice,delete overrides.from,delete overrides.
value,delete overrides.type,delete overrides.accessList,delete overrides.maxFeePerGas,delete overrides.maxPriorityFeePerGas,
delete overrides.customData,delete overrides.ccipReadEnabled;let leftovers=Object.keys(overrides).filter(key=>overrides[key]!=
null);return leftovers.length&&logger19.throwError(`cannot override ${leftovers.map(l=>JSON.stringify(l)).join(",")}`,Logger.
errors.UNSUPPORTED_OPERATION,{operation:"overrides",overrides:leftovers}),tx})}__name(populateTransaction,"populateTrans\
action");function buildPopulate(contract,fragment){return function(...args){return populateTransaction(contract,fragment,
args)}}__name(buildPopulate,"buildPopulate");function buildEstimate(contract,fragment){let signerOrProvider=contract.signer||
contract.provider;return function(...args){return __awaiter5(this,void 0,void 0,function*(){signerOrProvider||logger19.throwError(
"estimate require a provider or signer",Logger.errors.UNSUPPORTED_OPERATION,{operation:"estimateGas"});let tx=yield populateTransaction(
contract,fragment,args);return yield signerOrProvider.estimateGas(tx)})}}__name(buildEstimate,"buildEstimate");function addContractWait(contract,tx){
let wait=tx.wait.bind(tx);tx.wait=confirmations=>wait(confirmations).then(receipt=>(receipt.events=receipt.logs.map(log=>{
let event=deepCopy(log),parsed=null;try{parsed=contract.interface.parseLog(log)}catch{}return parsed&&(event.args=parsed.
args,event.decode=(data,topics)=>contract.interface.decodeEventLog(parsed.eventFragment,data,topics),event.event=parsed.
name,event.eventSignature=parsed.signature),event.removeListener=()=>contract.provider,event.getBlock=()=>contract.provider.
getBlock(receipt.blockHash),event.getTransaction=()=>contract.provider.getTransaction(receipt.transactionHash),event.getTransactionReceipt=
()=>Promise.resolve(receipt),event}),receipt))}__name(addContractWait,"addContractWait");function buildCall(contract,fragment,collapseSimple){
let signerOrProvider=contract.signer||contract.provider;return function(...args){return __awaiter5(this,void 0,void 0,function*(){
let blockTag;if(args.length===fragment.inputs.length+1&&typeof args[args.length-1]=="object"){let overrides=shallowCopy(
args.pop());overrides.blockTag!=null&&(blockTag=yield overrides.blockTag),delete overrides.blockTag,args.push(overrides)}
contract.deployTransaction!=null&&(yield contract._deployed(blockTag));let tx=yield populateTransaction(contract,fragment,
args),result=yield signerOrProvider.call(tx,blockTag);try{let value=contract.interface.decodeFunctionResult(fragment,result);
return collapseSimple&&fragment.outputs.length===1&&(value=value[0]),value}catch(error){throw error.code===Logger.errors.
CALL_EXCEPTION&&(error.address=contract.address,error.args=args,error.transaction=tx),error}})}}__name(buildCall,"buildC\
all");function buildSend(contract,fragment){return function(...args){return __awaiter5(this,void 0,void 0,function*(){contract.
signer||logger19.throwError("sending a transaction requires a signer",Logger.errors.UNSUPPORTED_OPERATION,{operation:"se\
ndTransaction"}),contract.deployTransaction!=null&&(yield contract._deployed());let txRequest=yield populateTransaction(
contract,fragment,args),tx=yield contract.signer.sendTransaction(txRequest);return addContractWait(contract,tx),tx})}}__name(
buildSend,"buildSend");function buildDefault(contract,fragment,collapseSimple){return fragment.constant?buildCall(contract,
fragment,collapseSimple):buildSend(contract,fragment)}__name(buildDefault,"buildDefault");function getEventTag(filter){return filter.
address&&(filter.topics==null||filter.topics.length===0)?"*":(filter.address||"*")+"@"+(filter.topics?filter.topics.map(
topic=>Array.isArray(topic)?topic.join("|"):topic).join(":"):"")}__name(getEventTag,"getEventTag");var RunningEvent=class{static{
__name(this,"RunningEvent")}constructor(tag,filter){defineReadOnly(this,"tag",tag),defineReadOnly(this,"filter",filter),
this._listeners=[]}addListener(listener,once2){this._listeners.push({listener,once:once2})}removeListener(listener){let done=!1;
this._listeners=this._listeners.filter(item=>done||item.listener!==listener?!0:(done=!0,!1))}removeAllListeners(){this._listeners=
[]}listeners(){return this._listeners.map(i=>i.listener)}listenerCount(){return this._listeners.length}run(args){let listenerCount=this.
listenerCount();return this._listeners=this._listeners.filter(item=>{let argsCopy=args.slice();return setTimeout(()=>{item.
listener.apply(this,argsCopy)},0),!item.once}),listenerCount}prepareEvent(event){}getEmit(event){return[event]}},ErrorRunningEvent=class extends RunningEvent{static{
__name(this,"ErrorRunningEvent")}constructor(){super("error",null)}},FragmentRunningEvent=class extends RunningEvent{static{
__name(this,"FragmentRunningEvent")}constructor(address,contractInterface,fragment,topics){let filter={address},topic=contractInterface.
getEventTopic(fragment);topics?(topic!==topics[0]&&logger19.throwArgumentError("topic mismatch","topics",topics),filter.
topics=topics.slice()):filter.topics=[topic],super(getEventTag(filter),filter),defineReadOnly(this,"address",address),defineReadOnly(
this,"interface",contractInterface),defineReadOnly(this,"fragment",fragment)}prepareEvent(event){super.prepareEvent(event),
event.event=this.fragment.name,event.eventSignature=this.fragment.format(),event.decode=(data,topics)=>this.interface.decodeEventLog(
this.fragment,data,topics);try{event.args=this.interface.decodeEventLog(this.fragment,event.data,event.topics)}catch(error){
event.args=null,event.decodeError=error}}getEmit(event){let errors=checkResultErrors(event.args);if(errors.length)throw errors[0].
error;let args=(event.args||[]).slice();return args.push(event),args}},WildcardRunningEvent=class extends RunningEvent{static{
__name(this,"WildcardRunningEvent")}constructor(address,contractInterface){super("*",{address}),defineReadOnly(this,"add\
ress",address),defineReadOnly(this,"interface",contractInterface)}prepareEvent(event){super.prepareEvent(event);try{let parsed=this.
interface.parseLog(event);event.event=parsed.name,event.eventSignature=parsed.signature,event.decode=(data,topics)=>this.
interface.decodeEventLog(parsed.eventFragment,data,topics),event.args=parsed.args}catch{}}},BaseContract=class{static{__name(
this,"BaseContract")}constructor(addressOrName,contractInterface,signerOrProvider){defineReadOnly(this,"interface",getStatic(
new.target,"getInterface")(contractInterface)),signerOrProvider==null?(defineReadOnly(this,"provider",null),defineReadOnly(
this,"signer",null)):Signer.isSigner(signerOrProvider)?(defineReadOnly(this,"provider",signerOrProvider.provider||null),
defineReadOnly(this,"signer",signerOrProvider)):Provider.isProvider(signerOrProvider)?(defineReadOnly(this,"provider",signerOrProvider),
defineReadOnly(this,"signer",null)):logger19.throwArgumentError("invalid signer or provider","signerOrProvider",signerOrProvider),
defineReadOnly(this,"callStatic",{}),defineReadOnly(this,"estimateGas",{}),defineReadOnly(this,"functions",{}),defineReadOnly(
this,"populateTransaction",{}),defineReadOnly(this,"filters",{});{let uniqueFilters={};Object.keys(this.interface.events).
forEach(eventSignature=>{let event=this.interface.events[eventSignature];defineReadOnly(this.filters,eventSignature,(...args)=>({
address:this.address,topics:this.interface.encodeFilterTopics(event,args)})),uniqueFilters[event.name]||(uniqueFilters[event.
name]=[]),uniqueFilters[event.name].push(eventSignature)}),Object.keys(uniqueFilters).forEach(name=>{let filters=uniqueFilters[name];
filters.length===1?defineReadOnly(this.filters,name,this.filters[filters[0]]):logger19.warn(`Duplicate definition of ${name}\
 (${filters.join(", ")})`)})}if(defineReadOnly(this,"_runningEvents",{}),defineReadOnly(this,"_wrappedEmits",{}),addressOrName==
null&&logger19.throwArgumentError("invalid contract address or ENS name","addressOrName",addressOrName),defineReadOnly(this,
"address",addressOrName),this.provider)defineReadOnly(this,"resolvedAddress",resolveName(this.provider,addressOrName));else
try{defineReadOnly(this,"resolvedAddress",Promise.resolve(getAddress(addressOrName)))}catch{logger19.throwError("provide\
r is required to use ENS name as contract address",Logger.errors.UNSUPPORTED_OPERATION,{operation:"new Contract"})}this.
resolvedAddress.catch(e=>{});let uniqueNames={},uniqueSignatures={};Object.keys(this.interface.functions).forEach(signature=>{
let fragment=this.interface.functions[signature];if(uniqueSignatures[signature]){logger19.warn(`Duplicate ABI entry for ${JSON.
stringify(signature)}`);return}uniqueSignatures[signature]=!0;{let name=fragment.name;uniqueNames[`%${name}`]||(uniqueNames[`\
%${name}`]=[]),uniqueNames[`%${name}`].push(signature)}this[signature]==null&&defineReadOnly(this,signature,buildDefault(
this,fragment,!0)),this.functions[signature]==null&&defineReadOnly(this.functions,signature,buildDefault(this,fragment,!1)),
this.callStatic[signature]==null&&defineReadOnly(this.callStatic,signature,buildCall(this,fragment,!0)),this.populateTransaction[signature]==
null&&defineReadOnly(this.populateTransaction,signature,buildPopulate(this,fragment)),this.estimateGas[signature]==null&&
defineReadOnly(this.estimateGas,signature,buildEstimate(this,fragment))}),Object.keys(uniqueNames).forEach(name=>{let signatures=uniqueNames[name];
if(signatures.length>1)return;name=name.substring(1);let signature=signatures[0];try{this[name]==null&&defineReadOnly(this,
name,this[signature])}catch{}this.functions[name]==null&&defineReadOnly(this.functions,name,this.functions[signature]),this.
callStatic[name]==null&&defineReadOnly(this.callStatic,name,this.callStatic[signature]),this.populateTransaction[name]==
null&&defineReadOnly(this.populateTransaction,name,this.populateTransaction[signature]),this.estimateGas[name]==null&&defineReadOnly(
this.estimateGas,name,this.estimateGas[signature])})}static getContractAddress(transaction){return getContractAddress(transaction)}static getInterface(contractInterface){
return Interface.isInterface(contractInterface)?contractInterface:new Interface(contractInterface)}deployed(){return this.
_deployed()}_deployed(blockTag){return this._deployedPromise||(this.deployTransaction?this._deployedPromise=this.deployTransaction.
wait().then(()=>this):this._deployedPromise=this.provider.getCode(this.address,blockTag).then(code=>(code==="0x"&&logger19.
throwError("contract not deployed",Logger.errors.UNSUPPORTED_OPERATION,{contractAddress:this.address,operation:"getDeplo\
yed"}),this))),this._deployedPromise}fallback(overrides){this.signer||logger19.throwError("sending a transactions requir\
e a signer",Logger.errors.UNSUPPORTED_OPERATION,{operation:"sendTransaction(fallback)"});let tx=shallowCopy(overrides||{});
return["from","to"].forEach(function(key){tx[key]!=null&&logger19.throwError("cannot override "+key,Logger.errors.UNSUPPORTED_OPERATION,
{operation:key})}),tx.to=this.resolvedAddress,this.deployed().then(()=>this.signer.sendTransaction(tx))}connect(signerOrProvider){
typeof signerOrProvider=="string"&&(signerOrProvider=new VoidSigner(signerOrProvider,this.provider));let contract=new this.
constructor(this.address,this.interface,signerOrProvider);return this.deployTransaction&&defineReadOnly(contract,"deploy\
Transaction",this.deployTransaction),contract}attach(addressOrName){return new this.constructor(addressOrName,this.interface,
this.signer||this.provider)}static isIndexed(value){return Indexed.isIndexed(value)}_normalizeRunningEvent(runningEvent){
return this._runningEvents[runningEvent.tag]?this._runningEvents[runningEvent.tag]:runningEvent}_getRunningEvent(eventName){
if(typeof eventName=="string"){if(eventName==="error")return this._normalizeRunningEvent(new ErrorRunningEvent);if(eventName===
"event")return this._normalizeRunningEvent(new RunningEvent("event",null));if(eventName==="*")return this._normalizeRunningEvent(
new WildcardRunningEvent(this.address,this.interface));let fragment=this.interface.getEvent(eventName);return this._normalizeRunningEvent(
new FragmentRunningEvent(this.address,this.interface,fragment))}if(eventName.topics&&eventName.topics.length>0){try{let topic=eventName.
topics[0];if(typeof topic!="string")throw new Error("invalid topic");let fragment=this.interface.getEvent(topic);return this.
_normalizeRunningEvent(new FragmentRunningEvent(this.address,this.interface,fragment,eventName.topics))}catch{}let filter={
address:this.address,topics:eventName.topics};return this._normalizeRunningEvent(new RunningEvent(getEventTag(filter),filter))}
return this._normalizeRunningEvent(new WildcardRunningEvent(this.address,this.interface))}_checkRunningEvents(runningEvent){
if(runningEvent.listenerCount()===0){delete this._runningEvents[runningEvent.tag];let emit=this._wrappedEmits[runningEvent.
tag];emit&&runningEvent.filter&&(this.provider.off(runningEvent.filter,emit),delete this._wrappedEmits[runningEvent.tag])}}_wrapEvent(runningEvent,log,listener){
let event=deepCopy(log);return event.removeListener=()=>{listener&&(runningEvent.removeListener(listener),this._checkRunningEvents(
runningEvent))},event.getBlock=()=>this.provider.getBlock(log.blockHash),event.getTransaction=()=>this.provider.getTransaction(
log.transactionHash),event.getTransactionReceipt=()=>this.provider.getTransactionReceipt(log.transactionHash),runningEvent.
prepareEvent(event),event}_addEventListener(runningEvent,listener,once2){if(this.provider||logger19.throwError("events r\
equire a provider or a signer with a provider",Logger.errors.UNSUPPORTED_OPERATION,{operation:"once"}),runningEvent.addListener(
listener,once2),this._runningEvents[runningEvent.tag]=runningEvent,!this._wrappedEmits[runningEvent.tag]){let wrappedEmit=__name(
log=>{let event=this._wrapEvent(runningEvent,log,listener);if(event.decodeError==null)try{let args=runningEvent.getEmit(
event);this.emit(runningEvent.filter,...args)}catch(error){event.decodeError=error.error}runningEvent.filter!=null&&this.
emit("event",event),event.decodeError!=null&&this.emit("error",event.decodeError,event)},"wrappedEmit");this._wrappedEmits[runningEvent.
tag]=wrappedEmit,runningEvent.filter!=null&&this.provider.on(runningEvent.filter,wrappedEmit)}}queryFilter(event,fromBlockOrBlockhash,toBlock){
let runningEvent=this._getRunningEvent(event),filter=shallowCopy(runningEvent.filter);return typeof fromBlockOrBlockhash==
"string"&&isHexString(fromBlockOrBlockhash,32)?(toBlock!=null&&logger19.throwArgumentError("cannot specify toBlock with \
blockhash","toBlock",toBlock),filter.blockHash=fromBlockOrBlockhash):(filter.fromBlock=fromBlockOrBlockhash??0,filter.toBlock=
toBlock??"latest"),this.provider.getLogs(filter).then(logs=>logs.map(log=>this._wrapEvent(runningEvent,log,null)))}on(event,listener){
return this._addEventListener(this._getRunningEvent(event),listener,!1),this}once(event,listener){return this._addEventListener(
this._getRunningEvent(event),listener,!0),this}emit(eventName,...args){if(!this.provider)return!1;let runningEvent=this.
_getRunningEvent(eventName),result=runningEvent.run(args)>0;return this._checkRunningEvents(runningEvent),result}listenerCount(eventName){
return this.provider?eventName==null?Object.keys(this._runningEvents).reduce((accum,key)=>accum+this._runningEvents[key].
listenerCount(),0):this._getRunningEvent(eventName).listenerCount():0}listeners(eventName){if(!this.provider)return[];if(eventName==
null){let result=[];for(let tag in this._runningEvents)this._runningEvents[tag].listeners().forEach(listener=>{result.push(
listener)});return result}return this._getRunningEvent(eventName).listeners()}removeAllListeners(eventName){if(!this.provider)
return this;if(eventName==null){for(let tag in this._runningEvents){let runningEvent2=this._runningEvents[tag];runningEvent2.
removeAllListeners(),this._checkRunningEvents(runningEvent2)}return this}let runningEvent=this._getRunningEvent(eventName);
return runningEvent.removeAllListeners(),this._checkRunningEvents(runningEvent),this}off(eventName,listener){if(!this.provider)
return this;let runningEvent=this._getRunningEvent(eventName);return runningEvent.removeListener(listener),this._checkRunningEvents(
runningEvent),this}removeListener(eventName,listener){return this.off(eventName,listener)}},Contract=class extends BaseContract{static{
__name(this,"Contract")}},ContractFactory=class{static{__name(this,"ContractFactory")}constructor(contractInterface,bytecode,signer){
let bytecodeHex=null;typeof bytecode=="string"?bytecodeHex=bytecode:isBytes(bytecode)?bytecodeHex=hexlify2(bytecode):bytecode&&
typeof bytecode.object=="string"?bytecodeHex=bytecode.object:bytecodeHex="!",bytecodeHex.substring(0,2)!=="0x"&&(bytecodeHex=
"0x"+bytecodeHex),(!isHexString(bytecodeHex)||bytecodeHex.length%2)&&logger19.throwArgumentError("invalid bytecode","byt\
ecode",bytecode),signer&&!Signer.isSigner(signer)&&logger19.throwArgumentError("invalid signer","signer",signer),defineReadOnly(
this,"bytecode",bytecodeHex),defineReadOnly(this,"interface",getStatic(new.target,"getInterface")(contractInterface)),defineReadOnly(
this,"signer",signer||null)}getDeployTransaction(...args){let tx={};if(args.length===this.interface.deploy.inputs.length+
1&&typeof args[args.length-1]=="object"){tx=shallowCopy(args.pop());for(let key in tx)if(!allowedTransactionKeys3[key])throw new Error(
"unknown transaction override "+key)}return["data","from","to"].forEach(key=>{tx[key]!=null&&logger19.throwError("cannot\
 override "+key,Logger.errors.UNSUPPORTED_OPERATION,{operation:key})}),tx.value&&!BigNumber.from(tx.value).isZero()&&!this.
interface.deploy.payable&&logger19.throwError("non-payable constructor cannot override value",Logger.errors.UNSUPPORTED_OPERATION,
{operation:"overrides.value",value:tx.value}),logger19.checkArgumentCount(args.length,this.interface.deploy.inputs.length,
" in Contract constructor"),tx.data=hexlify2(concat([this.bytecode,this.interface.encodeDeploy(args)])),tx}deploy(...args){
return __awaiter5(this,void 0,void 0,function*(){let overrides={};args.length===this.interface.deploy.inputs.length+1&&(overrides=
args.pop()),logger19.checkArgumentCount(args.length,this.interface.deploy.inputs.length," in Contract constructor");let params=yield resolveAddresses(
this.signer,args,this.interface.deploy.inputs);params.push(overrides);let unsignedTx=this.getDeployTransaction(...params),
tx=yield this.signer.sendTransaction(unsignedTx),address=getStatic(this.constructor,"getContractAddress")(tx),contract=getStatic(
this.constructor,"getContract")(address,this.interface,this.signer);return addContractWait(contract,tx),defineReadOnly(contract,
"deployTransaction",tx),contract})}attach(address){return this.constructor.getContract(address,this.interface,this.signer)}connect(signer){
return new this.constructor(this.interface,this.bytecode,signer)}static fromSolidity(compilerOutput,signer){compilerOutput==
null&&logger19.throwError("missing compiler output",Logger.errors.MISSING_ARGUMENT,{argument:"compilerOutput"}),typeof compilerOutput==
"string"&&(compilerOutput=JSON.parse(compilerOutput));let abi=compilerOutput.abi,bytecode=null;return compilerOutput.bytecode?
bytecode=compilerOutput.bytecode:compilerOutput.evm&&compilerOutput.evm.bytecode&&(bytecode=compilerOutput.evm.bytecode),
new this(abi,bytecode,signer)}static getInterface(contractInterface){return Contract.getInterface(contractInterface)}static getContractAddress(tx){
return getContractAddress(tx)}static getContract(address,contractInterface,signer){return new Contract(address,contractInterface,
signer)}};init_lib3();init_ethersproject_bytes();init_ethersproject_bytes();var BaseX=class{static{__name(this,"BaseX")}constructor(alphabet){defineReadOnly(this,"alphabet",alphabet),defineReadOnly(
this,"base",alphabet.length),defineReadOnly(this,"_alphabetMap",{}),defineReadOnly(this,"_leader",alphabet.charAt(0));for(let i=0;i<
alphabet.length;i++)this._alphabetMap[alphabet.charAt(i)]=i}encode(value){let source=arrayify2(value);if(source.length===
0)return"";let digits=[0];for(let i=0;i<source.length;++i){let carry=source[i];for(let j=0;j<digits.length;++j)carry+=digits[j]<<
8,digits[j]=carry%this.base,carry=carry/this.base|0;for(;carry>0;)digits.push(carry%this.base),carry=carry/this.base|0}let string="";
for(let k=0;source[k]===0&&k<source.length-1;++k)string+=this._leader;for(let q=digits.length-1;q>=0;--q)string+=this.alphabet[digits[q]];
return string}decode(value){if(typeof value!="string")throw new TypeError("Expected String");let bytes3=[];if(value.length===
0)return new Uint8Array(bytes3);bytes3.push(0);for(let i=0;i<value.length;i++){let byte=this._alphabetMap[value[i]];if(byte===
void 0)throw new Error("Non-base"+this.base+" character");let carry=byte;for(let j=0;j<bytes3.length;++j)carry+=bytes3[j]*
this.base,bytes3[j]=carry&255,carry>>=8;for(;carry>0;)bytes3.push(carry&255),carry>>=8}for(let k=0;value[k]===this._leader&&
k<value.length-1;++k)bytes3.push(0);return arrayify2(new Uint8Array(bytes3.reverse()))}},Base32=new BaseX("abcdefghijklm\
nopqrstuvwxyz234567"),Base58=new BaseX("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz");init_ethersproject_bytes();init_lib3();init_lib6();init_ethersproject_bytes();init_natives();function pbkdf22(password,salt,iterations,keyLength,hashAlgorithm){return`0x${pbkdf2(hashAlgorithm,toHex(arrayify2(password)),
toHex(arrayify2(salt)),iterations,keyLength)}`}__name(pbkdf22,"pbkdf2");function bytes(b,...lengths){if(!(b instanceof Uint8Array))throw new Error("Expected Uint8Array");if(lengths.length>0&&!lengths.
includes(b.length))throw new Error(`Expected Uint8Array of length ${lengths}, not of length=${b.length}`)}__name(bytes,"\
bytes");function exists(instance,checkFinished=!0){if(instance.destroyed)throw new Error("Hash instance has been destroyed");if(checkFinished&&
instance.finished)throw new Error("Hash#digest() has already been called")}__name(exists,"exists");function output(out,instance){
bytes(out);let min=instance.outputLen;if(out.length<min)throw new Error(`digestInto() expects output buffer of length at\
 least ${min}`)}__name(output,"output");var u8a=__name(a=>a instanceof Uint8Array,"u8a");var createView=__name(arr=>new DataView(arr.buffer,arr.byteOffset,arr.byteLength),"createView");var isLE=new Uint8Array(new Uint32Array([287454020]).buffer)[0]===68;if(!isLE)throw new Error("Non little-endian hardwar\
e is not supported");function utf8ToBytes(str){if(typeof str!="string")throw new Error(`utf8ToBytes expected string, got ${typeof str}`);return new Uint8Array(
new TextEncoder().encode(str))}__name(utf8ToBytes,"utf8ToBytes");function toBytes(data){if(typeof data=="string"&&(data=
utf8ToBytes(data)),!u8a(data))throw new Error(`expected Uint8Array, got ${typeof data}`);return data}__name(toBytes,"toB\
ytes");var Hash=class{static{__name(this,"Hash")}clone(){return this._cloneInto()}},toStr={}.toString;function wrapConstructor(hashCons){let hashC=__name(msg=>hashCons().update(toBytes(msg)).digest(),"hashC"),tmp=hashCons();
return hashC.outputLen=tmp.outputLen,hashC.blockLen=tmp.blockLen,hashC.create=()=>hashCons(),hashC}__name(wrapConstructor,
"wrapConstructor");function setBigUint64(view,byteOffset,value,isLE2){if(typeof view.setBigUint64=="function")return view.setBigUint64(byteOffset,
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
!0,this.buffer.fill(0),this.set(0,0,0,0,0)}},ripemd160=wrapConstructor(()=>new RIPEMD160);init_natives();var once=__name(answer=>()=>({update:__name(bytes3=>({digest:__name(()=>answer(bytes3),"digest")}),"update")}),"once"),hashed=__name(
name=>Object.assign(once(bytes3=>digest(name,toHex(bytes3))),{algorithm:name}),"hashed"),hash_js_default={ripemd160:once(
bytes3=>toHex(ripemd160(bytes3))),sha256:hashed("sha256"),sha512:hashed("sha512"),hmac:__name((hash,key)=>once(bytes3=>hmac(
hash.algorithm,toHex(key),toHex(bytes3)))(),"hmac")};init_ethersproject_bytes();var SupportedAlgorithm;(function(SupportedAlgorithm2){SupportedAlgorithm2.sha256="sha256",SupportedAlgorithm2.sha512="sh\
a512"})(SupportedAlgorithm||(SupportedAlgorithm={}));init_lib();var version14="sha2/5.7.0";var logger20=new Logger(version14);function ripemd1602(data){return"0x"+hash_js_default.ripemd160().update(arrayify2(data)).
digest("hex")}__name(ripemd1602,"ripemd160");function sha256(data){return"0x"+hash_js_default.sha256().update(arrayify2(
data)).digest("hex")}__name(sha256,"sha256");function sha512(data){return"0x"+hash_js_default.sha512().update(arrayify2(
data)).digest("hex")}__name(sha512,"sha512");function computeHmac(algorithm,key,data){return SupportedAlgorithm[algorithm]||
logger20.throwError("unsupported algorithm "+algorithm,Logger.errors.UNSUPPORTED_OPERATION,{operation:"hmac",algorithm}),
"0x"+hash_js_default.hmac(hash_js_default[algorithm],arrayify2(key)).update(arrayify2(data)).digest("hex")}__name(computeHmac,
"computeHmac");init_lib();var version15="wordlists/5.7.0";var exportWordlist=!1,logger21=new Logger(version15),Wordlist=class _Wordlist{static{__name(this,"Wordlist")}constructor(locale){
logger21.checkAbstract(new.target,_Wordlist),defineReadOnly(this,"locale",locale)}split(mnemonic){return mnemonic.toLowerCase().
split(/ +/g)}join(words2){return words2.join(" ")}static check(wordlist2){let words2=[];for(let i=0;i<2048;i++){let word=wordlist2.
getWord(i);if(i!==wordlist2.getWordIndex(word))return"0x";words2.push(word)}return id(words2.join(`
`)+`
`)}static register(lang,name){if(name||(name=lang.locale),exportWordlist)try{let anyGlobal2=window;anyGlobal2._ethers&&anyGlobal2.
_ethers.wordlists&&(anyGlobal2._ethers.wordlists[name]||defineReadOnly(anyGlobal2._ethers.wordlists,name,lang))}catch{}}};var words="AbandonAbilityAbleAboutAboveAbsentAbsorbAbstractAbsurdAbuseAccessAccidentAccountAccuseAchieveAcidAcousticAcqu\
ireAcrossActActionActorActressActualAdaptAddAddictAddressAdjustAdmitAdultAdvanceAdviceAerobicAffairAffordAfraidAgainAgeA\
gentAgreeAheadAimAirAirportAisleAlarmAlbumAlcoholAlertAlienAllAlleyAllowAlmostAloneAlphaAlreadyAlsoAlterAlwaysAmateurAma\
zingAmongAmountAmusedAnalystAnchorAncientAngerAngleAngryAnimalAnkleAnnounceAnnualAnotherAnswerAntennaAntiqueAnxietyAnyAp\
artApologyAppearAppleApproveAprilArchArcticAreaArenaArgueArmArmedArmorArmyAroundArrangeArrestArriveArrowArtArtefactArtis\
tArtworkAskAspectAssaultAssetAssistAssumeAsthmaAthleteAtomAttackAttendAttitudeAttractAuctionAuditAugustAuntAuthorAutoAut\
umnAverageAvocadoAvoidAwakeAwareAwayAwesomeAwfulAwkwardAxisBabyBachelorBaconBadgeBagBalanceBalconyBallBambooBananaBanner\
BarBarelyBargainBarrelBaseBasicBasketBattleBeachBeanBeautyBecauseBecomeBeefBeforeBeginBehaveBehindBelieveBelowBeltBenchB\
enefitBestBetrayBetterBetweenBeyondBicycleBidBikeBindBiologyBirdBirthBitterBlackBladeBlameBlanketBlastBleakBlessBlindBlo\
odBlossomBlouseBlueBlurBlushBoardBoatBodyBoilBombBoneBonusBookBoostBorderBoringBorrowBossBottomBounceBoxBoyBracketBrainB\
randBrassBraveBreadBreezeBrickBridgeBriefBrightBringBriskBroccoliBrokenBronzeBroomBrotherBrownBrushBubbleBuddyBudgetBuff\
aloBuildBulbBulkBulletBundleBunkerBurdenBurgerBurstBusBusinessBusyButterBuyerBuzzCabbageCabinCableCactusCageCakeCallCalm\
CameraCampCanCanalCancelCandyCannonCanoeCanvasCanyonCapableCapitalCaptainCarCarbonCardCargoCarpetCarryCartCaseCashCasino\
CastleCasualCatCatalogCatchCategoryCattleCaughtCauseCautionCaveCeilingCeleryCementCensusCenturyCerealCertainChairChalkCh\
ampionChangeChaosChapterChargeChaseChatCheapCheckCheeseChefCherryChestChickenChiefChildChimneyChoiceChooseChronicChuckle\
ChunkChurnCigarCinnamonCircleCitizenCityCivilClaimClapClarifyClawClayCleanClerkCleverClickClientCliffClimbClinicClipCloc\
kClogCloseClothCloudClownClubClumpClusterClutchCoachCoastCoconutCodeCoffeeCoilCoinCollectColorColumnCombineComeComfortCo\
micCommonCompanyConcertConductConfirmCongressConnectConsiderControlConvinceCookCoolCopperCopyCoralCoreCornCorrectCostCot\
tonCouchCountryCoupleCourseCousinCoverCoyoteCrackCradleCraftCramCraneCrashCraterCrawlCrazyCreamCreditCreekCrewCricketCri\
meCrispCriticCropCrossCrouchCrowdCrucialCruelCruiseCrumbleCrunchCrushCryCrystalCubeCultureCupCupboardCuriousCurrentCurta\
inCurveCushionCustomCuteCycleDadDamageDampDanceDangerDaringDashDaughterDawnDayDealDebateDebrisDecadeDecemberDecideDeclin\
eDecorateDecreaseDeerDefenseDefineDefyDegreeDelayDeliverDemandDemiseDenialDentistDenyDepartDependDepositDepthDeputyDeriv\
eDescribeDesertDesignDeskDespairDestroyDetailDetectDevelopDeviceDevoteDiagramDialDiamondDiaryDiceDieselDietDifferDigital\
DignityDilemmaDinnerDinosaurDirectDirtDisagreeDiscoverDiseaseDishDismissDisorderDisplayDistanceDivertDivideDivorceDizzyD\
octorDocumentDogDollDolphinDomainDonateDonkeyDonorDoorDoseDoubleDoveDraftDragonDramaDrasticDrawDreamDressDriftDrillDrink\
DripDriveDropDrumDryDuckDumbDuneDuringDustDutchDutyDwarfDynamicEagerEagleEarlyEarnEarthEasilyEastEasyEchoEcologyEconomyE\
dgeEditEducateEffortEggEightEitherElbowElderElectricElegantElementElephantElevatorEliteElseEmbarkEmbodyEmbraceEmergeEmot\
ionEmployEmpowerEmptyEnableEnactEndEndlessEndorseEnemyEnergyEnforceEngageEngineEnhanceEnjoyEnlistEnoughEnrichEnrollEnsur\
eEnterEntireEntryEnvelopeEpisodeEqualEquipEraEraseErodeErosionErrorEruptEscapeEssayEssenceEstateEternalEthicsEvidenceEvi\
lEvokeEvolveExactExampleExcessExchangeExciteExcludeExcuseExecuteExerciseExhaustExhibitExileExistExitExoticExpandExpectEx\
pireExplainExposeExpressExtendExtraEyeEyebrowFabricFaceFacultyFadeFaintFaithFallFalseFameFamilyFamousFanFancyFantasyFarm\
FashionFatFatalFatherFatigueFaultFavoriteFeatureFebruaryFederalFeeFeedFeelFemaleFenceFestivalFetchFeverFewFiberFictionFi\
eldFigureFileFilmFilterFinalFindFineFingerFinishFireFirmFirstFiscalFishFitFitnessFixFlagFlameFlashFlatFlavorFleeFlightFl\
ipFloatFlockFloorFlowerFluidFlushFlyFoamFocusFogFoilFoldFollowFoodFootForceForestForgetForkFortuneForumForwardFossilFost\
erFoundFoxFragileFrameFrequentFreshFriendFringeFrogFrontFrostFrownFrozenFruitFuelFunFunnyFurnaceFuryFutureGadgetGainGala\
xyGalleryGameGapGarageGarbageGardenGarlicGarmentGasGaspGateGatherGaugeGazeGeneralGeniusGenreGentleGenuineGestureGhostGia\
ntGiftGiggleGingerGiraffeGirlGiveGladGlanceGlareGlassGlideGlimpseGlobeGloomGloryGloveGlowGlueGoatGoddessGoldGoodGooseGor\
illaGospelGossipGovernGownGrabGraceGrainGrantGrapeGrassGravityGreatGreenGridGriefGritGroceryGroupGrowGruntGuardGuessGuid\
eGuiltGuitarGunGymHabitHairHalfHammerHamsterHandHappyHarborHardHarshHarvestHatHaveHawkHazardHeadHealthHeartHeavyHedgehog\
HeightHelloHelmetHelpHenHeroHiddenHighHillHintHipHireHistoryHobbyHockeyHoldHoleHolidayHollowHomeHoneyHoodHopeHornHorrorH\
orseHospitalHostHotelHourHoverHubHugeHumanHumbleHumorHundredHungryHuntHurdleHurryHurtHusbandHybridIceIconIdeaIdentifyIdl\
eIgnoreIllIllegalIllnessImageImitateImmenseImmuneImpactImposeImproveImpulseInchIncludeIncomeIncreaseIndexIndicateIndoorI\
ndustryInfantInflictInformInhaleInheritInitialInjectInjuryInmateInnerInnocentInputInquiryInsaneInsectInsideInspireInstal\
lIntactInterestIntoInvestInviteInvolveIronIslandIsolateIssueItemIvoryJacketJaguarJarJazzJealousJeansJellyJewelJobJoinJok\
eJourneyJoyJudgeJuiceJumpJungleJuniorJunkJustKangarooKeenKeepKetchupKeyKickKidKidneyKindKingdomKissKitKitchenKiteKittenK\
iwiKneeKnifeKnockKnowLabLabelLaborLadderLadyLakeLampLanguageLaptopLargeLaterLatinLaughLaundryLavaLawLawnLawsuitLayerLazy\
LeaderLeafLearnLeaveLectureLeftLegLegalLegendLeisureLemonLendLengthLensLeopardLessonLetterLevelLiarLibertyLibraryLicense\
LifeLiftLightLikeLimbLimitLinkLionLiquidListLittleLiveLizardLoadLoanLobsterLocalLockLogicLonelyLongLoopLotteryLoudLounge\
LoveLoyalLuckyLuggageLumberLunarLunchLuxuryLyricsMachineMadMagicMagnetMaidMailMainMajorMakeMammalManManageMandateMangoMa\
nsionManualMapleMarbleMarchMarginMarineMarketMarriageMaskMassMasterMatchMaterialMathMatrixMatterMaximumMazeMeadowMeanMea\
sureMeatMechanicMedalMediaMelodyMeltMemberMemoryMentionMenuMercyMergeMeritMerryMeshMessageMetalMethodMiddleMidnightMilkM\
illionMimicMindMinimumMinorMinuteMiracleMirrorMiseryMissMistakeMixMixedMixtureMobileModelModifyMomMomentMonitorMonkeyMon\
sterMonthMoonMoralMoreMorningMosquitoMotherMotionMotorMountainMouseMoveMovieMuchMuffinMuleMultiplyMuscleMuseumMushroomMu\
sicMustMutualMyselfMysteryMythNaiveNameNapkinNarrowNastyNationNatureNearNeckNeedNegativeNeglectNeitherNephewNerveNestNet\
NetworkNeutralNeverNewsNextNiceNightNobleNoiseNomineeNoodleNormalNorthNoseNotableNoteNothingNoticeNovelNowNuclearNumberN\
urseNutOakObeyObjectObligeObscureObserveObtainObviousOccurOceanOctoberOdorOffOfferOfficeOftenOilOkayOldOliveOlympicOmitO\
nceOneOnionOnlineOnlyOpenOperaOpinionOpposeOptionOrangeOrbitOrchardOrderOrdinaryOrganOrientOriginalOrphanOstrichOtherOut\
doorOuterOutputOutsideOvalOvenOverOwnOwnerOxygenOysterOzonePactPaddlePagePairPalacePalmPandaPanelPanicPantherPaperParade\
ParentParkParrotPartyPassPatchPathPatientPatrolPatternPausePavePaymentPeacePeanutPearPeasantPelicanPenPenaltyPencilPeopl\
ePepperPerfectPermitPersonPetPhonePhotoPhrasePhysicalPianoPicnicPicturePiecePigPigeonPillPilotPinkPioneerPipePistolPitch\
PizzaPlacePlanetPlasticPlatePlayPleasePledgePluckPlugPlungePoemPoetPointPolarPolePolicePondPonyPoolPopularPortionPositio\
nPossiblePostPotatoPotteryPovertyPowderPowerPracticePraisePredictPreferPreparePresentPrettyPreventPricePridePrimaryPrint\
PriorityPrisonPrivatePrizeProblemProcessProduceProfitProgramProjectPromoteProofPropertyProsperProtectProudProvidePublicP\
uddingPullPulpPulsePumpkinPunchPupilPuppyPurchasePurityPurposePursePushPutPuzzlePyramidQualityQuantumQuarterQuestionQuic\
kQuitQuizQuoteRabbitRaccoonRaceRackRadarRadioRailRainRaiseRallyRampRanchRandomRangeRapidRareRateRatherRavenRawRazorReady\
RealReasonRebelRebuildRecallReceiveRecipeRecordRecycleReduceReflectReformRefuseRegionRegretRegularRejectRelaxReleaseReli\
efRelyRemainRememberRemindRemoveRenderRenewRentReopenRepairRepeatReplaceReportRequireRescueResembleResistResourceRespons\
eResultRetireRetreatReturnReunionRevealReviewRewardRhythmRibRibbonRiceRichRideRidgeRifleRightRigidRingRiotRippleRiskRitu\
alRivalRiverRoadRoastRobotRobustRocketRomanceRoofRookieRoomRoseRotateRoughRoundRouteRoyalRubberRudeRugRuleRunRunwayRural\
SadSaddleSadnessSafeSailSaladSalmonSalonSaltSaluteSameSampleSandSatisfySatoshiSauceSausageSaveSayScaleScanScareScatterSc\
eneSchemeSchoolScienceScissorsScorpionScoutScrapScreenScriptScrubSeaSearchSeasonSeatSecondSecretSectionSecuritySeedSeekS\
egmentSelectSellSeminarSeniorSenseSentenceSeriesServiceSessionSettleSetupSevenShadowShaftShallowShareShedShellSheriffShi\
eldShiftShineShipShiverShockShoeShootShopShortShoulderShoveShrimpShrugShuffleShySiblingSickSideSiegeSightSignSilentSilkS\
illySilverSimilarSimpleSinceSingSirenSisterSituateSixSizeSkateSketchSkiSkillSkinSkirtSkullSlabSlamSleepSlenderSliceSlide\
SlightSlimSloganSlotSlowSlushSmallSmartSmileSmokeSmoothSnackSnakeSnapSniffSnowSoapSoccerSocialSockSodaSoftSolarSoldierSo\
lidSolutionSolveSomeoneSongSoonSorrySortSoulSoundSoupSourceSouthSpaceSpareSpatialSpawnSpeakSpecialSpeedSpellSpendSphereS\
piceSpiderSpikeSpinSpiritSplitSpoilSponsorSpoonSportSpotSpraySpreadSpringSpySquareSqueezeSquirrelStableStadiumStaffStage\
StairsStampStandStartStateStaySteakSteelStemStepStereoStickStillStingStockStomachStoneStoolStoryStoveStrategyStreetStrik\
eStrongStruggleStudentStuffStumbleStyleSubjectSubmitSubwaySuccessSuchSuddenSufferSugarSuggestSuitSummerSunSunnySunsetSup\
erSupplySupremeSureSurfaceSurgeSurpriseSurroundSurveySuspectSustainSwallowSwampSwapSwarmSwearSweetSwiftSwimSwingSwitchSw\
ordSymbolSymptomSyrupSystemTableTackleTagTailTalentTalkTankTapeTargetTaskTasteTattooTaxiTeachTeamTellTenTenantTennisTent\
TermTestTextThankThatThemeThenTheoryThereTheyThingThisThoughtThreeThriveThrowThumbThunderTicketTideTigerTiltTimberTimeTi\
nyTipTiredTissueTitleToastTobaccoTodayToddlerToeTogetherToiletTokenTomatoTomorrowToneTongueTonightToolToothTopTopicToppl\
eTorchTornadoTortoiseTossTotalTouristTowardTowerTownToyTrackTradeTrafficTragicTrainTransferTrapTrashTravelTrayTreatTreeT\
rendTrialTribeTrickTriggerTrimTripTrophyTroubleTruckTrueTrulyTrumpetTrustTruthTryTubeTuitionTumbleTunaTunnelTurkeyTurnTu\
rtleTwelveTwentyTwiceTwinTwistTwoTypeTypicalUglyUmbrellaUnableUnawareUncleUncoverUnderUndoUnfairUnfoldUnhappyUniformUniq\
ueUnitUniverseUnknownUnlockUntilUnusualUnveilUpdateUpgradeUpholdUponUpperUpsetUrbanUrgeUsageUseUsedUsefulUselessUsualUti\
lityVacantVacuumVagueValidValleyValveVanVanishVaporVariousVastVaultVehicleVelvetVendorVentureVenueVerbVerifyVersionVeryV\
esselVeteranViableVibrantViciousVictoryVideoViewVillageVintageViolinVirtualVirusVisaVisitVisualVitalVividVocalVoiceVoidV\
olcanoVolumeVoteVoyageWageWagonWaitWalkWallWalnutWantWarfareWarmWarriorWashWaspWasteWaterWaveWayWealthWeaponWearWeaselWe\
atherWebWeddingWeekendWeirdWelcomeWestWetWhaleWhatWheatWheelWhenWhereWhipWhisperWideWidthWifeWildWillWinWindowWineWingWi\
nkWinnerWinterWireWisdomWiseWishWitnessWolfWomanWonderWoodWoolWordWorkWorldWorryWorthWrapWreckWrestleWristWriteWrongYard\
YearYellowYouYoungYouthZebraZeroZoneZoo",wordlist=null;function loadWords(lang){if(wordlist==null&&(wordlist=words.replace(
/([A-Z])/g," $1").toLowerCase().substring(1).split(" "),Wordlist.check(lang)!=="0x3c8acc1e7b08d8e76f9fda015ef48dc8c710a7\
3cb7e0f77b2c18a9b5a7adde60"))throw wordlist=null,new Error("BIP39 Wordlist for en (English) FAILED")}__name(loadWords,"l\
oadWords");var LangEn=class extends Wordlist{static{__name(this,"LangEn")}constructor(){super("en")}getWord(index){return loadWords(
this),wordlist[index]}getWordIndex(word){return loadWords(this),wordlist.indexOf(word)}},langEn=new LangEn;Wordlist.register(
langEn);var wordlists={en:langEn};init_lib();var version16="hdnode/5.7.0";var logger22=new Logger(version16),N=BigNumber.from("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
MasterSecret=toUtf8Bytes("Bitcoin seed"),HardenedBit=2147483648;function getUpperMask(bits){return(1<<bits)-1<<8-bits}__name(
getUpperMask,"getUpperMask");function getLowerMask(bits){return(1<<bits)-1}__name(getLowerMask,"getLowerMask");function bytes32(value){
return hexZeroPad(hexlify2(value),32)}__name(bytes32,"bytes32");function base58check(data){return Base58.encode(concat([
data,hexDataSlice(sha256(sha256(data)),0,4)]))}__name(base58check,"base58check");function getWordlist(wordlist2){if(wordlist2==
null)return wordlists.en;if(typeof wordlist2=="string"){let words2=wordlists[wordlist2];return words2==null&&logger22.throwArgumentError(
"unknown locale","wordlist",wordlist2),words2}return wordlist2}__name(getWordlist,"getWordlist");var _constructorGuard4={},
defaultPath="m/44'/60'/0'/0/0",HDNode=class _HDNode{static{__name(this,"HDNode")}constructor(constructorGuard,privateKey,publicKey2,parentFingerprint,chainCode,index,depth,mnemonicOrPath){
if(constructorGuard!==_constructorGuard4)throw new Error("HDNode constructor cannot be called directly");if(privateKey){
let signingKey=new SigningKey(privateKey);defineReadOnly(this,"privateKey",signingKey.privateKey),defineReadOnly(this,"p\
ublicKey",signingKey.compressedPublicKey)}else defineReadOnly(this,"privateKey",null),defineReadOnly(this,"publicKey",hexlify2(
publicKey2));defineReadOnly(this,"parentFingerprint",parentFingerprint),defineReadOnly(this,"fingerprint",hexDataSlice(ripemd1602(
sha256(this.publicKey)),0,4)),defineReadOnly(this,"address",computeAddress(this.publicKey)),defineReadOnly(this,"chainCo\
de",chainCode),defineReadOnly(this,"index",index),defineReadOnly(this,"depth",depth),mnemonicOrPath==null?(defineReadOnly(
this,"mnemonic",null),defineReadOnly(this,"path",null)):typeof mnemonicOrPath=="string"?(defineReadOnly(this,"mnemonic",
null),defineReadOnly(this,"path",mnemonicOrPath)):(defineReadOnly(this,"mnemonic",mnemonicOrPath),defineReadOnly(this,"p\
ath",mnemonicOrPath.path))}get extendedKey(){if(this.depth>=256)throw new Error("Depth too large!");return base58check(concat(
[this.privateKey!=null?"0x0488ADE4":"0x0488B21E",hexlify2(this.depth),this.parentFingerprint,hexZeroPad(hexlify2(this.index),
4),this.chainCode,this.privateKey!=null?concat(["0x00",this.privateKey]):this.publicKey]))}neuter(){return new _HDNode(_constructorGuard4,
null,this.publicKey,this.parentFingerprint,this.chainCode,this.index,this.depth,this.path)}_derive(index){if(index>4294967295)
throw new Error("invalid index - "+String(index));let path=this.path;path&&(path+="/"+(index&~HardenedBit));let data=new Uint8Array(
37);if(index&HardenedBit){if(!this.privateKey)throw new Error("cannot derive child of neutered node");data.set(arrayify2(
this.privateKey),1),path&&(path+="'")}else data.set(arrayify2(this.publicKey));for(let i=24;i>=0;i-=8)data[33+(i>>3)]=index>>
24-i&255;let I=arrayify2(computeHmac(SupportedAlgorithm.sha512,this.chainCode,data)),IL=I.slice(0,32),IR=I.slice(32),ki=null,
Ki=null;this.privateKey?ki=bytes32(BigNumber.from(IL).add(this.privateKey).mod(N)):Ki=new SigningKey(hexlify2(IL))._addPoint(
this.publicKey);let mnemonicOrPath=path,srcMnemonic=this.mnemonic;return srcMnemonic&&(mnemonicOrPath=Object.freeze({phrase:srcMnemonic.
phrase,path,locale:srcMnemonic.locale||"en"})),new _HDNode(_constructorGuard4,ki,Ki,this.fingerprint,bytes32(IR),index,this.
depth+1,mnemonicOrPath)}derivePath(path){let components=path.split("/");if(components.length===0||components[0]==="m"&&this.
depth!==0)throw new Error("invalid path - "+path);components[0]==="m"&&components.shift();let result=this;for(let i=0;i<
components.length;i++){let component=components[i];if(component.match(/^[0-9]+'$/)){let index=parseInt(component.substring(
0,component.length-1));if(index>=HardenedBit)throw new Error("invalid path index - "+component);result=result._derive(HardenedBit+
index)}else if(component.match(/^[0-9]+$/)){let index=parseInt(component);if(index>=HardenedBit)throw new Error("invalid\
 path index - "+component);result=result._derive(index)}else throw new Error("invalid path component - "+component)}return result}static _fromSeed(seed,mnemonic){
let seedArray=arrayify2(seed);if(seedArray.length<16||seedArray.length>64)throw new Error("invalid seed");let I=arrayify2(
computeHmac(SupportedAlgorithm.sha512,MasterSecret,seedArray));return new _HDNode(_constructorGuard4,bytes32(I.slice(0,32)),
null,"0x00000000",bytes32(I.slice(32)),0,0,mnemonic)}static fromMnemonic(mnemonic,password,wordlist2){return wordlist2=getWordlist(
wordlist2),mnemonic=entropyToMnemonic(mnemonicToEntropy(mnemonic,wordlist2),wordlist2),_HDNode._fromSeed(mnemonicToSeed(
mnemonic,password),{phrase:mnemonic,path:"m",locale:wordlist2.locale})}static fromSeed(seed){return _HDNode._fromSeed(seed,
null)}static fromExtendedKey(extendedKey){let bytes3=Base58.decode(extendedKey);(bytes3.length!==82||base58check(bytes3.
slice(0,78))!==extendedKey)&&logger22.throwArgumentError("invalid extended key","extendedKey","[REDACTED]");let depth=bytes3[4],
parentFingerprint=hexlify2(bytes3.slice(5,9)),index=parseInt(hexlify2(bytes3.slice(9,13)).substring(2),16),chainCode=hexlify2(
bytes3.slice(13,45)),key=bytes3.slice(45,78);switch(hexlify2(bytes3.slice(0,4))){case"0x0488b21e":case"0x043587cf":return new _HDNode(
_constructorGuard4,null,hexlify2(key),parentFingerprint,chainCode,index,depth,null);case"0x0488ade4":case"0x04358394 ":if(key[0]!==
0)break;return new _HDNode(_constructorGuard4,hexlify2(key.slice(1)),null,parentFingerprint,chainCode,index,depth,null)}
return logger22.throwArgumentError("invalid extended key","extendedKey","[REDACTED]")}};function mnemonicToSeed(mnemonic,password){
password||(password="");let salt=toUtf8Bytes("mnemonic"+password,UnicodeNormalizationForm.NFKD);return pbkdf22(toUtf8Bytes(
mnemonic,UnicodeNormalizationForm.NFKD),salt,2048,64,"sha512")}__name(mnemonicToSeed,"mnemonicToSeed");function mnemonicToEntropy(mnemonic,wordlist2){
wordlist2=getWordlist(wordlist2),logger22.checkNormalize();let words2=wordlist2.split(mnemonic);if(words2.length%3!==0)throw new Error(
"invalid mnemonic");let entropy=arrayify2(new Uint8Array(Math.ceil(11*words2.length/8))),offset=0;for(let i=0;i<words2.length;i++){
let index=wordlist2.getWordIndex(words2[i].normalize("NFKD"));if(index===-1)throw new Error("invalid mnemonic");for(let bit=0;bit<
11;bit++)index&1<<10-bit&&(entropy[offset>>3]|=1<<7-offset%8),offset++}let entropyBits=32*words2.length/3,checksumBits=words2.
length/3,checksumMask=getUpperMask(checksumBits);if((arrayify2(sha256(entropy.slice(0,entropyBits/8)))[0]&checksumMask)!==
(entropy[entropy.length-1]&checksumMask))throw new Error("invalid checksum");return hexlify2(entropy.slice(0,entropyBits/
8))}__name(mnemonicToEntropy,"mnemonicToEntropy");function entropyToMnemonic(entropy,wordlist2){if(wordlist2=getWordlist(
wordlist2),entropy=arrayify2(entropy),entropy.length%4!==0||entropy.length<16||entropy.length>32)throw new Error("invali\
d entropy");let indices=[0],remainingBits=11;for(let i=0;i<entropy.length;i++)remainingBits>8?(indices[indices.length-1]<<=
8,indices[indices.length-1]|=entropy[i],remainingBits-=8):(indices[indices.length-1]<<=remainingBits,indices[indices.length-
1]|=entropy[i]>>8-remainingBits,indices.push(entropy[i]&getLowerMask(8-remainingBits)),remainingBits+=3);let checksumBits=entropy.
length/4,checksum=arrayify2(sha256(entropy))[0]&getUpperMask(checksumBits);return indices[indices.length-1]<<=checksumBits,
indices[indices.length-1]|=checksum>>8-checksumBits,wordlist2.join(indices.map(index=>wordlist2.getWord(index)))}__name(
entropyToMnemonic,"entropyToMnemonic");function isValidMnemonic(mnemonic,wordlist2){try{return mnemonicToEntropy(mnemonic,
wordlist2),!0}catch{}return!1}__name(isValidMnemonic,"isValidMnemonic");function getAccountPath(index){return(typeof index!=
"number"||index<0||index>=HardenedBit||index%1)&&logger22.throwArgumentError("invalid account index","index",index),`m/4\
4'/60'/${index}'/0/0`}__name(getAccountPath,"getAccountPath");init_lib4();init_ethersproject_bytes();init_lib();var version17="random/5.7.0";var logger23=new Logger(version17);function getGlobal(){if(typeof globalThis<"u")return globalThis;if(typeof window<"u")
return window;if(typeof globalThis<"u")return globalThis;throw new Error("unable to locate global object")}__name(getGlobal,
"getGlobal");var anyGlobal=getGlobal(),crypto=anyGlobal.crypto||anyGlobal.msCrypto;(!crypto||!crypto.getRandomValues)&&(logger23.
warn("WARNING: Missing strong random number source"),crypto={getRandomValues:__name(function(buffer){return logger23.throwError(
"no secure random source avaialble",Logger.errors.UNSUPPORTED_OPERATION,{operation:"crypto.getRandomValues"})},"getRando\
mValues")});function randomBytes(length){(length<=0||length>1024||length%1||length!=length)&&logger23.throwArgumentError(
"invalid length","length",length);let result=new Uint8Array(length);return crypto.getRandomValues(result),arrayify2(result)}
__name(randomBytes,"randomBytes");function shuffled(array){array=array.slice();for(let i=array.length-1;i>0;i--){let j=Math.floor(Math.random()*(i+1)),tmp=array[i];
array[i]=array[j],array[j]=tmp}return array}__name(shuffled,"shuffled");var import_aes_js=__toESM(require_aes_js());init_ethersproject_bytes();init_lib4();init_lib6();init_lib();var version18="json-wallets/5.7.0";init_ethersproject_bytes();init_lib6();function looseArrayify(hexString){return typeof hexString=="string"&&hexString.substring(0,2)!=="0x"&&(hexString="0x"+hexString),
arrayify2(hexString)}__name(looseArrayify,"looseArrayify");function zpad(value,length){for(value=String(value);value.length<
length;)value="0"+value;return value}__name(zpad,"zpad");function getPassword(password){return typeof password=="string"?
toUtf8Bytes(password,UnicodeNormalizationForm.NFKC):arrayify2(password)}__name(getPassword,"getPassword");function searchPath(object,path){
let currentChild=object,comps=path.toLowerCase().split("/");for(let i=0;i<comps.length;i++){let matchingChild=null;for(let key in currentChild)
if(key.toLowerCase()===comps[i]){matchingChild=currentChild[key];break}if(matchingChild===null)return null;currentChild=
matchingChild}return currentChild}__name(searchPath,"searchPath");function uuidV4(randomBytes2){let bytes3=arrayify2(randomBytes2);
bytes3[6]=bytes3[6]&15|64,bytes3[8]=bytes3[8]&63|128;let value=hexlify2(bytes3);return[value.substring(2,10),value.substring(
10,14),value.substring(14,18),value.substring(18,22),value.substring(22,34)].join("-")}__name(uuidV4,"uuidV4");var logger24=new Logger(version18),CrowdsaleAccount=class extends Description{static{__name(this,"CrowdsaleAccount")}isCrowdsaleAccount(value){
return!!(value&&value._isCrowdsaleAccount)}};function decrypt(json,password){let data=JSON.parse(json);password=getPassword(
password);let ethaddr=getAddress(searchPath(data,"ethaddr")),encseed=looseArrayify(searchPath(data,"encseed"));(!encseed||
encseed.length%16!==0)&&logger24.throwArgumentError("invalid encseed","json",json);let key=arrayify2(pbkdf22(password,password,
2e3,32,"sha256")).slice(0,16),iv=encseed.slice(0,16),encryptedSeed=encseed.slice(16),aesCbc=new import_aes_js.default.ModeOfOperation.
cbc(key,iv),seed=import_aes_js.default.padding.pkcs7.strip(arrayify2(aesCbc.decrypt(encryptedSeed))),seedHex="";for(let i=0;i<
seed.length;i++)seedHex+=String.fromCharCode(seed[i]);let seedHexBytes=toUtf8Bytes(seedHex),privateKey=keccak2562(seedHexBytes);
return new CrowdsaleAccount({_isCrowdsaleAccount:!0,address:ethaddr,privateKey})}__name(decrypt,"decrypt");function isCrowdsaleWallet(json){let data=null;try{data=JSON.parse(json)}catch{return!1}return data.encseed&&data.ethaddr}
__name(isCrowdsaleWallet,"isCrowdsaleWallet");function isKeystoreWallet(json){let data=null;try{data=JSON.parse(json)}catch{
return!1}return!(!data.version||parseInt(data.version)!==data.version||parseInt(data.version)!==3)}__name(isKeystoreWallet,
"isKeystoreWallet");function getJsonWalletAddress(json){if(isCrowdsaleWallet(json))try{return getAddress(JSON.parse(json).
ethaddr)}catch{return null}if(isKeystoreWallet(json))try{return getAddress(JSON.parse(json).address)}catch{return null}return null}
__name(getJsonWalletAddress,"getJsonWalletAddress");var import_aes_js2=__toESM(require_aes_js()),import_scrypt_js=__toESM(require_scrypt());init_ethersproject_bytes();init_lib4();init_lib();var __awaiter6=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger25=new Logger(version18);function hasMnemonic(value){return value!=null&&value.mnemonic&&value.mnemonic.phrase}__name(
hasMnemonic,"hasMnemonic");var KeystoreAccount=class extends Description{static{__name(this,"KeystoreAccount")}isKeystoreAccount(value){
return!!(value&&value._isKeystoreAccount)}};function _decrypt(data,key,ciphertext){if(searchPath(data,"crypto/cipher")===
"aes-128-ctr"){let iv=looseArrayify(searchPath(data,"crypto/cipherparams/iv")),counter=new import_aes_js2.default.Counter(
iv),aesCtr=new import_aes_js2.default.ModeOfOperation.ctr(key,counter);return arrayify2(aesCtr.decrypt(ciphertext))}return null}
__name(_decrypt,"_decrypt");function _getAccount(data,key){let ciphertext=looseArrayify(searchPath(data,"crypto/cipherte\
xt"));if(hexlify2(keccak2562(concat([key.slice(16,32),ciphertext]))).substring(2)!==searchPath(data,"crypto/mac").toLowerCase())
throw new Error("invalid password");let privateKey=_decrypt(data,key.slice(0,16),ciphertext);privateKey||logger25.throwError(
"unsupported cipher",Logger.errors.UNSUPPORTED_OPERATION,{operation:"decrypt"});let mnemonicKey=key.slice(32,64),address=computeAddress(
privateKey);if(data.address){let check=data.address.toLowerCase();if(check.substring(0,2)!=="0x"&&(check="0x"+check),getAddress(
check)!==address)throw new Error("address mismatch")}let account={_isKeystoreAccount:!0,address,privateKey:hexlify2(privateKey)};
if(searchPath(data,"x-ethers/version")==="0.1"){let mnemonicCiphertext=looseArrayify(searchPath(data,"x-ethers/mnemonicC\
iphertext")),mnemonicIv=looseArrayify(searchPath(data,"x-ethers/mnemonicCounter")),mnemonicCounter=new import_aes_js2.default.
Counter(mnemonicIv),mnemonicAesCtr=new import_aes_js2.default.ModeOfOperation.ctr(mnemonicKey,mnemonicCounter),path=searchPath(
data,"x-ethers/path")||defaultPath,locale=searchPath(data,"x-ethers/locale")||"en",entropy=arrayify2(mnemonicAesCtr.decrypt(
mnemonicCiphertext));try{let mnemonic=entropyToMnemonic(entropy,locale),node=HDNode.fromMnemonic(mnemonic,null,locale).derivePath(
path);if(node.privateKey!=account.privateKey)throw new Error("mnemonic mismatch");account.mnemonic=node.mnemonic}catch(error){
if(error.code!==Logger.errors.INVALID_ARGUMENT||error.argument!=="wordlist")throw error}}return new KeystoreAccount(account)}
__name(_getAccount,"_getAccount");function pbkdf2Sync(passwordBytes,salt,count2,dkLen,prfFunc){return arrayify2(pbkdf22(
passwordBytes,salt,count2,dkLen,prfFunc))}__name(pbkdf2Sync,"pbkdf2Sync");function pbkdf23(passwordBytes,salt,count2,dkLen,prfFunc){
return Promise.resolve(pbkdf2Sync(passwordBytes,salt,count2,dkLen,prfFunc))}__name(pbkdf23,"pbkdf2");function _computeKdfKey(data,password,pbkdf2Func,scryptFunc,progressCallback){
let passwordBytes=getPassword(password),kdf=searchPath(data,"crypto/kdf");if(kdf&&typeof kdf=="string"){let throwError=__name(
function(name,value){return logger25.throwArgumentError("invalid key-derivation function parameters",name,value)},"throw\
Error");if(kdf.toLowerCase()==="scrypt"){let salt=looseArrayify(searchPath(data,"crypto/kdfparams/salt")),N2=parseInt(searchPath(
data,"crypto/kdfparams/n")),r2=parseInt(searchPath(data,"crypto/kdfparams/r")),p=parseInt(searchPath(data,"crypto/kdfpar\
ams/p"));(!N2||!r2||!p)&&throwError("kdf",kdf),(N2&N2-1)!==0&&throwError("N",N2);let dkLen=parseInt(searchPath(data,"cry\
pto/kdfparams/dklen"));return dkLen!==32&&throwError("dklen",dkLen),scryptFunc(passwordBytes,salt,N2,r2,p,64,progressCallback)}else if(kdf.
toLowerCase()==="pbkdf2"){let salt=looseArrayify(searchPath(data,"crypto/kdfparams/salt")),prfFunc=null,prf=searchPath(data,
"crypto/kdfparams/prf");prf==="hmac-sha256"?prfFunc="sha256":prf==="hmac-sha512"?prfFunc="sha512":throwError("prf",prf);
let count2=parseInt(searchPath(data,"crypto/kdfparams/c")),dkLen=parseInt(searchPath(data,"crypto/kdfparams/dklen"));return dkLen!==
32&&throwError("dklen",dkLen),pbkdf2Func(passwordBytes,salt,count2,dkLen,prfFunc)}}return logger25.throwArgumentError("u\
nsupported key-derivation function","kdf",kdf)}__name(_computeKdfKey,"_computeKdfKey");function decryptSync(json,password){
let data=JSON.parse(json),key=_computeKdfKey(data,password,pbkdf2Sync,import_scrypt_js.default.syncScrypt);return _getAccount(
data,key)}__name(decryptSync,"decryptSync");function decrypt2(json,password,progressCallback){return __awaiter6(this,void 0,
void 0,function*(){let data=JSON.parse(json),key=yield _computeKdfKey(data,password,pbkdf23,import_scrypt_js.default.scrypt,
progressCallback);return _getAccount(data,key)})}__name(decrypt2,"decrypt");function encrypt(account,password,options,progressCallback){
try{if(getAddress(account.address)!==computeAddress(account.privateKey))throw new Error("address/privateKey mismatch");if(hasMnemonic(
account)){let mnemonic=account.mnemonic;if(HDNode.fromMnemonic(mnemonic.phrase,null,mnemonic.locale).derivePath(mnemonic.
path||defaultPath).privateKey!=account.privateKey)throw new Error("mnemonic mismatch")}}catch(e){return Promise.reject(e)}
typeof options=="function"&&!progressCallback&&(progressCallback=options,options={}),options||(options={});let privateKey=arrayify2(
account.privateKey),passwordBytes=getPassword(password),entropy=null,path=null,locale=null;if(hasMnemonic(account)){let srcMnemonic=account.
mnemonic;entropy=arrayify2(mnemonicToEntropy(srcMnemonic.phrase,srcMnemonic.locale||"en")),path=srcMnemonic.path||defaultPath,
locale=srcMnemonic.locale||"en"}let client=options.client;client||(client="ethers.js");let salt=null;options.salt?salt=arrayify2(
options.salt):salt=randomBytes(32);let iv=null;if(options.iv){if(iv=arrayify2(options.iv),iv.length!==16)throw new Error(
"invalid iv")}else iv=randomBytes(16);let uuidRandom=null;if(options.uuid){if(uuidRandom=arrayify2(options.uuid),uuidRandom.
length!==16)throw new Error("invalid uuid")}else uuidRandom=randomBytes(16);let N2=1<<17,r2=8,p=1;return options.scrypt&&
(options.scrypt.N&&(N2=options.scrypt.N),options.scrypt.r&&(r2=options.scrypt.r),options.scrypt.p&&(p=options.scrypt.p)),
import_scrypt_js.default.scrypt(passwordBytes,salt,N2,r2,p,64,progressCallback).then(key=>{key=arrayify2(key);let derivedKey=key.
slice(0,16),macPrefix=key.slice(16,32),mnemonicKey=key.slice(32,64),counter=new import_aes_js2.default.Counter(iv),aesCtr=new import_aes_js2.default.
ModeOfOperation.ctr(derivedKey,counter),ciphertext=arrayify2(aesCtr.encrypt(privateKey)),mac=keccak2562(concat([macPrefix,
ciphertext])),data={address:account.address.substring(2).toLowerCase(),id:uuidV4(uuidRandom),version:3,crypto:{cipher:"a\
es-128-ctr",cipherparams:{iv:hexlify2(iv).substring(2)},ciphertext:hexlify2(ciphertext).substring(2),kdf:"scrypt",kdfparams:{
salt:hexlify2(salt).substring(2),n:N2,dklen:32,p,r:r2},mac:mac.substring(2)}};if(entropy){let mnemonicIv=randomBytes(16),
mnemonicCounter=new import_aes_js2.default.Counter(mnemonicIv),mnemonicAesCtr=new import_aes_js2.default.ModeOfOperation.
ctr(mnemonicKey,mnemonicCounter),mnemonicCiphertext=arrayify2(mnemonicAesCtr.encrypt(entropy)),now2=new Date,timestamp=now2.
getUTCFullYear()+"-"+zpad(now2.getUTCMonth()+1,2)+"-"+zpad(now2.getUTCDate(),2)+"T"+zpad(now2.getUTCHours(),2)+"-"+zpad(
now2.getUTCMinutes(),2)+"-"+zpad(now2.getUTCSeconds(),2)+".0Z";data["x-ethers"]={client,gethFilename:"UTC--"+timestamp+"\
--"+data.address,mnemonicCounter:hexlify2(mnemonicIv).substring(2),mnemonicCiphertext:hexlify2(mnemonicCiphertext).substring(
2),path,locale,version:"0.1"}}return JSON.stringify(data)})}__name(encrypt,"encrypt");function decryptJsonWallet(json,password,progressCallback){if(isCrowdsaleWallet(json)){progressCallback&&progressCallback(
0);let account=decrypt(json,password);return progressCallback&&progressCallback(1),Promise.resolve(account)}return isKeystoreWallet(
json)?decrypt2(json,password,progressCallback):Promise.reject(new Error("invalid JSON wallet"))}__name(decryptJsonWallet,
"decryptJsonWallet");function decryptJsonWalletSync(json,password){if(isCrowdsaleWallet(json))return decrypt(json,password);
if(isKeystoreWallet(json))return decryptSync(json,password);throw new Error("invalid JSON wallet")}__name(decryptJsonWalletSync,
"decryptJsonWalletSync");init_lib();var version19="wallet/5.7.0";var __awaiter7=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger26=new Logger(version19);function isAccount(value){return value!=null&&isHexString(value.privateKey,32)&&value.address!=
null}__name(isAccount,"isAccount");function hasMnemonic2(value){let mnemonic=value.mnemonic;return mnemonic&&mnemonic.phrase}
__name(hasMnemonic2,"hasMnemonic");var Wallet=class _Wallet extends Signer{static{__name(this,"Wallet")}constructor(privateKey,provider){
if(super(),isAccount(privateKey)){let signingKey=new SigningKey(privateKey.privateKey);if(defineReadOnly(this,"_signingK\
ey",()=>signingKey),defineReadOnly(this,"address",computeAddress(this.publicKey)),this.address!==getAddress(privateKey.address)&&
logger26.throwArgumentError("privateKey/address mismatch","privateKey","[REDACTED]"),hasMnemonic2(privateKey)){let srcMnemonic=privateKey.
mnemonic;defineReadOnly(this,"_mnemonic",()=>({phrase:srcMnemonic.phrase,path:srcMnemonic.path||defaultPath,locale:srcMnemonic.
locale||"en"}));let mnemonic=this.mnemonic,node=HDNode.fromMnemonic(mnemonic.phrase,null,mnemonic.locale).derivePath(mnemonic.
path);computeAddress(node.privateKey)!==this.address&&logger26.throwArgumentError("mnemonic/address mismatch","privateKe\
y","[REDACTED]")}else defineReadOnly(this,"_mnemonic",()=>null)}else{if(SigningKey.isSigningKey(privateKey))privateKey.curve!==
"secp256k1"&&logger26.throwArgumentError("unsupported curve; must be secp256k1","privateKey","[REDACTED]"),defineReadOnly(
this,"_signingKey",()=>privateKey);else{typeof privateKey=="string"&&privateKey.match(/^[0-9a-f]*$/i)&&privateKey.length===
64&&(privateKey="0x"+privateKey);let signingKey=new SigningKey(privateKey);defineReadOnly(this,"_signingKey",()=>signingKey)}
defineReadOnly(this,"_mnemonic",()=>null),defineReadOnly(this,"address",computeAddress(this.publicKey))}provider&&!Provider.
isProvider(provider)&&logger26.throwArgumentError("invalid provider","provider",provider),defineReadOnly(this,"provider",
provider||null)}get mnemonic(){return this._mnemonic()}get privateKey(){return this._signingKey().privateKey}get publicKey(){
return this._signingKey().publicKey}getAddress(){return Promise.resolve(this.address)}connect(provider){return new _Wallet(
this,provider)}signTransaction(transaction){return resolveProperties(transaction).then(tx=>{tx.from!=null&&(getAddress(tx.
from)!==this.address&&logger26.throwArgumentError("transaction from address mismatch","transaction.from",transaction.from),
delete tx.from);let signature=this._signingKey().signDigest(keccak2562(serialize(tx)));return serialize(tx,signature)})}signMessage(message){
return __awaiter7(this,void 0,void 0,function*(){return joinSignature(this._signingKey().signDigest(hashMessage(message)))})}_signTypedData(domain,types,value){
return __awaiter7(this,void 0,void 0,function*(){let populated=yield TypedDataEncoder.resolveNames(domain,types,value,name=>(this.
provider==null&&logger26.throwError("cannot resolve ENS names without a provider",Logger.errors.UNSUPPORTED_OPERATION,{operation:"\
resolveName",value:name}),this.provider.resolveName(name)));return joinSignature(this._signingKey().signDigest(TypedDataEncoder.
hash(populated.domain,types,populated.value)))})}encrypt(password,options,progressCallback){if(typeof options=="function"&&
!progressCallback&&(progressCallback=options,options={}),progressCallback&&typeof progressCallback!="function")throw new Error(
"invalid callback");return options||(options={}),encrypt(this,password,options,progressCallback)}static createRandom(options){
let entropy=randomBytes(16);options||(options={}),options.extraEntropy&&(entropy=arrayify2(hexDataSlice(keccak2562(concat(
[entropy,options.extraEntropy])),0,16)));let mnemonic=entropyToMnemonic(entropy,options.locale);return _Wallet.fromMnemonic(
mnemonic,options.path,options.locale)}static fromEncryptedJson(json,password,progressCallback){return decryptJsonWallet(
json,password,progressCallback).then(account=>new _Wallet(account))}static fromEncryptedJsonSync(json,password){return new _Wallet(
decryptJsonWalletSync(json,password))}static fromMnemonic(mnemonic,path,wordlist2){return path||(path=defaultPath),new _Wallet(
HDNode.fromMnemonic(mnemonic,null,wordlist2).derivePath(path))}};function verifyMessage(message,signature){return recoverAddress(
hashMessage(message),signature)}__name(verifyMessage,"verifyMessage");function verifyTypedData(domain,types,value,signature){
return recoverAddress(TypedDataEncoder.hash(domain,types,value),signature)}__name(verifyTypedData,"verifyTypedData");init_lib5();var lib_exports4={};__export(lib_exports4,{AlchemyProvider:()=>AlchemyProvider,AlchemyWebSocketProvider:()=>AlchemyWebSocketProvider,
AnkrProvider:()=>AnkrProvider,BaseProvider:()=>BaseProvider,CloudflareProvider:()=>CloudflareProvider,EtherscanProvider:()=>EtherscanProvider,
FallbackProvider:()=>FallbackProvider,Formatter:()=>Formatter,InfuraProvider:()=>InfuraProvider,InfuraWebSocketProvider:()=>InfuraWebSocketProvider,
IpcProvider:()=>IpcProvider,JsonRpcBatchProvider:()=>JsonRpcBatchProvider,JsonRpcProvider:()=>JsonRpcProvider,JsonRpcSigner:()=>JsonRpcSigner,
NodesmithProvider:()=>NodesmithProvider,PocketProvider:()=>PocketProvider,Provider:()=>Provider,Resolver:()=>Resolver,StaticJsonRpcProvider:()=>StaticJsonRpcProvider,
UrlJsonRpcProvider:()=>UrlJsonRpcProvider,Web3Provider:()=>Web3Provider,WebSocketProvider:()=>WebSocketProvider,getDefaultProvider:()=>getDefaultProvider,
getNetwork:()=>getNetwork,isCommunityResourcable:()=>isCommunityResourcable,isCommunityResource:()=>isCommunityResource,
showThrottleMessage:()=>showThrottleMessage});init_lib();var version20="networks/5.7.1";var logger27=new Logger(version20);function isRenetworkable(value){return value&&typeof value.renetwork=="function"}__name(
isRenetworkable,"isRenetworkable");function ethDefaultProvider(network){let func=__name(function(providers,options){options==
null&&(options={});let providerList=[];if(providers.InfuraProvider&&options.infura!=="-")try{providerList.push(new providers.
InfuraProvider(network,options.infura))}catch{}if(providers.EtherscanProvider&&options.etherscan!=="-")try{providerList.
push(new providers.EtherscanProvider(network,options.etherscan))}catch{}if(providers.AlchemyProvider&&options.alchemy!==
"-")try{providerList.push(new providers.AlchemyProvider(network,options.alchemy))}catch{}if(providers.PocketProvider&&options.
pocket!=="-"){let skip=["goerli","ropsten","rinkeby","sepolia"];try{let provider=new providers.PocketProvider(network,options.
pocket);provider.network&&skip.indexOf(provider.network.name)===-1&&providerList.push(provider)}catch{}}if(providers.CloudflareProvider&&
options.cloudflare!=="-")try{providerList.push(new providers.CloudflareProvider(network))}catch{}if(providers.AnkrProvider&&
options.ankr!=="-")try{let skip=["ropsten"],provider=new providers.AnkrProvider(network,options.ankr);provider.network&&
skip.indexOf(provider.network.name)===-1&&providerList.push(provider)}catch{}if(providerList.length===0)return null;if(providers.
FallbackProvider){let quorum=1;return options.quorum!=null?quorum=options.quorum:network==="homestead"&&(quorum=2),new providers.
FallbackProvider(providerList,quorum)}return providerList[0]},"func");return func.renetwork=function(network2){return ethDefaultProvider(
network2)},func}__name(ethDefaultProvider,"ethDefaultProvider");function etcDefaultProvider(url,network){let func=__name(
function(providers,options){return providers.JsonRpcProvider?new providers.JsonRpcProvider(url,network):null},"func");return func.
renetwork=function(network2){return etcDefaultProvider(url,network2)},func}__name(etcDefaultProvider,"etcDefaultProvider");
var homestead={chainId:1,ensAddress:"0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e",name:"homestead",_defaultProvider:ethDefaultProvider(
"homestead")},ropsten={chainId:3,ensAddress:"0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e",name:"ropsten",_defaultProvider:ethDefaultProvider(
"ropsten")},classicMordor={chainId:63,name:"classicMordor",_defaultProvider:etcDefaultProvider("https://www.ethercluster\
.com/mordor","classicMordor")},networks={unspecified:{chainId:0,name:"unspecified"},homestead,mainnet:homestead,morden:{
chainId:2,name:"morden"},ropsten,testnet:ropsten,rinkeby:{chainId:4,ensAddress:"0x00000000000C2E074eC69A0dFb2997BA6C7d2e\
1e",name:"rinkeby",_defaultProvider:ethDefaultProvider("rinkeby")},kovan:{chainId:42,name:"kovan",_defaultProvider:ethDefaultProvider(
"kovan")},goerli:{chainId:5,ensAddress:"0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e",name:"goerli",_defaultProvider:ethDefaultProvider(
"goerli")},kintsugi:{chainId:1337702,name:"kintsugi"},sepolia:{chainId:11155111,name:"sepolia",_defaultProvider:ethDefaultProvider(
"sepolia")},classic:{chainId:61,name:"classic",_defaultProvider:etcDefaultProvider("https://www.ethercluster.com/etc","c\
lassic")},classicMorden:{chainId:62,name:"classicMorden"},classicMordor,classicTestnet:classicMordor,classicKotti:{chainId:6,
name:"classicKotti",_defaultProvider:etcDefaultProvider("https://www.ethercluster.com/kotti","classicKotti")},xdai:{chainId:100,
name:"xdai"},matic:{chainId:137,name:"matic",_defaultProvider:ethDefaultProvider("matic")},maticmum:{chainId:80001,name:"\
maticmum"},optimism:{chainId:10,name:"optimism",_defaultProvider:ethDefaultProvider("optimism")},"optimism-kovan":{chainId:69,
name:"optimism-kovan"},"optimism-goerli":{chainId:420,name:"optimism-goerli"},arbitrum:{chainId:42161,name:"arbitrum"},"\
arbitrum-rinkeby":{chainId:421611,name:"arbitrum-rinkeby"},"arbitrum-goerli":{chainId:421613,name:"arbitrum-goerli"},bnb:{
chainId:56,name:"bnb"},bnbt:{chainId:97,name:"bnbt"}};function getNetwork(network){if(network==null)return null;if(typeof network==
"number"){for(let name in networks){let standard2=networks[name];if(standard2.chainId===network)return{name:standard2.name,
chainId:standard2.chainId,ensAddress:standard2.ensAddress||null,_defaultProvider:standard2._defaultProvider||null}}return{
chainId:network,name:"unknown"}}if(typeof network=="string"){let standard2=networks[network];return standard2==null?null:
{name:standard2.name,chainId:standard2.chainId,ensAddress:standard2.ensAddress,_defaultProvider:standard2._defaultProvider||
null}}let standard=networks[network.name];if(!standard)return typeof network.chainId!="number"&&logger27.throwArgumentError(
"invalid network chainId","network",network),network;network.chainId!==0&&network.chainId!==standard.chainId&&logger27.throwArgumentError(
"network chainId mismatch","network",network);let defaultProvider=network._defaultProvider||null;return defaultProvider==
null&&standard._defaultProvider&&(isRenetworkable(standard._defaultProvider)?defaultProvider=standard._defaultProvider.renetwork(
network):defaultProvider=standard._defaultProvider),{name:network.name,chainId:standard.chainId,ensAddress:network.ensAddress||
standard.ensAddress||null,_defaultProvider:defaultProvider}}__name(getNetwork,"getNetwork");init_lib7();init_lib3();init_ethersproject_bytes();init_lib5();init_lib6();init_lib7();init_ethersproject_bytes();init_lib6();init_lib();var version21="web/5.7.1";init_ethersproject_bytes();var __awaiter8=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})};
function getUrl(href,options){return __awaiter8(this,void 0,void 0,function*(){options==null&&(options={});let request={
method:options.method||"GET",headers:options.headers||{},body:options.body||void 0};if(options.skipFetchSetup!==!0&&(request.
mode="cors",request.cache="no-cache",request.credentials="same-origin",request.redirect="follow",request.referrer="clien\
t"),options.fetchOptions!=null){let opts=options.fetchOptions;opts.mode&&(request.mode=opts.mode),opts.cache&&(request.cache=
opts.cache),opts.credentials&&(request.credentials=opts.credentials),opts.redirect&&(request.redirect=opts.redirect),opts.
referrer&&(request.referrer=opts.referrer)}let response=yield fetch(href,request),body=yield response.arrayBuffer(),headers={};
return response.headers.forEach?response.headers.forEach((value,key)=>{headers[key.toLowerCase()]=value}):response.headers.
keys().forEach(key=>{headers[key.toLowerCase()]=response.headers.get(key)}),{headers,statusCode:response.status,statusMessage:response.
statusText,body:arrayify2(new Uint8Array(body))}})}__name(getUrl,"getUrl");var __awaiter9=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger28=new Logger(version21);function staller(duration){return new Promise(resolve=>{setTimeout(resolve,duration)})}__name(
staller,"staller");function bodyify(value,type){if(value==null)return null;if(typeof value=="string")return value;if(isBytesLike(
value)){if(type&&(type.split("/")[0]==="text"||type.split(";")[0].trim()==="application/json"))try{return toUtf8String(value)}catch{}
return hexlify2(value)}return value}__name(bodyify,"bodyify");function unpercent(value){return toUtf8Bytes(value.replace(
/%([0-9a-f][0-9a-f])/gi,(all,code)=>String.fromCharCode(parseInt(code,16))))}__name(unpercent,"unpercent");function _fetchData(connection,body,processFunc){
let attemptLimit=typeof connection=="object"&&connection.throttleLimit!=null?connection.throttleLimit:12;logger28.assertArgument(
attemptLimit>0&&attemptLimit%1===0,"invalid connection throttle limit","connection.throttleLimit",attemptLimit);let throttleCallback=typeof connection==
"object"?connection.throttleCallback:null,throttleSlotInterval=typeof connection=="object"&&typeof connection.throttleSlotInterval==
"number"?connection.throttleSlotInterval:100;logger28.assertArgument(throttleSlotInterval>0&&throttleSlotInterval%1===0,
"invalid connection throttle slot interval","connection.throttleSlotInterval",throttleSlotInterval);let errorPassThrough=typeof connection==
"object"?!!connection.errorPassThrough:!1,headers={},url=null,options={method:"GET"},allow304=!1,timeout=120*1e3;if(typeof connection==
"string")url=connection;else if(typeof connection=="object"){if((connection==null||connection.url==null)&&logger28.throwArgumentError(
"missing URL","connection.url",connection),url=connection.url,typeof connection.timeout=="number"&&connection.timeout>0&&
(timeout=connection.timeout),connection.headers)for(let key in connection.headers)headers[key.toLowerCase()]={key,value:String(
connection.headers[key])},["if-none-match","if-modified-since"].indexOf(key.toLowerCase())>=0&&(allow304=!0);if(options.
allowGzip=!!connection.allowGzip,connection.user!=null&&connection.password!=null){url.substring(0,6)!=="https:"&&connection.
allowInsecureAuthentication!==!0&&logger28.throwError("basic authentication requires a secure https url",Logger.errors.INVALID_ARGUMENT,
{argument:"url",url,user:connection.user,password:"[REDACTED]"});let authorization=connection.user+":"+connection.password;
headers.authorization={key:"Authorization",value:"Basic "+encode2(toUtf8Bytes(authorization))}}connection.skipFetchSetup!=
null&&(options.skipFetchSetup=!!connection.skipFetchSetup),connection.fetchOptions!=null&&(options.fetchOptions=shallowCopy(
connection.fetchOptions))}let reData=new RegExp("^data:([^;:]*)?(;base64)?,(.*)$","i"),dataMatch=url?url.match(reData):null;
if(dataMatch)try{let response={statusCode:200,statusMessage:"OK",headers:{"content-type":dataMatch[1]||"text/plain"},body:dataMatch[2]?
decode2(dataMatch[3]):unpercent(dataMatch[3])},result=response.body;return processFunc&&(result=processFunc(response.body,
response)),Promise.resolve(result)}catch(error){logger28.throwError("processing response error",Logger.errors.SERVER_ERROR,
{body:bodyify(dataMatch[1],dataMatch[2]),error,requestBody:null,requestMethod:"GET",url})}body&&(options.method="POST",options.
body=body,headers["content-type"]==null&&(headers["content-type"]={key:"Content-Type",value:"application/octet-stream"}),
headers["content-length"]==null&&(headers["content-length"]={key:"Content-Length",value:String(body.length)}));let flatHeaders={};
Object.keys(headers).forEach(key=>{let header=headers[key];flatHeaders[header.key]=header.value}),options.headers=flatHeaders;
let runningTimeout=(function(){let timer2=null;return{promise:new Promise(function(resolve,reject){timeout&&(timer2=setTimeout(
()=>{timer2!=null&&(timer2=null,reject(logger28.makeError("timeout",Logger.errors.TIMEOUT,{requestBody:bodyify(options.body,
flatHeaders["content-type"]),requestMethod:options.method,timeout,url})))},timeout))}),cancel:__name(function(){timer2!=
null&&(clearTimeout(timer2),timer2=null)},"cancel")}})(),runningFetch=(function(){return __awaiter9(this,void 0,void 0,function*(){
for(let attempt=0;attempt<attemptLimit;attempt++){let response=null;try{if(response=yield getUrl(url,options),attempt<attemptLimit){
if(response.statusCode===301||response.statusCode===302){let location=response.headers.location||"";if(options.method===
"GET"&&location.match(/^https:/)){url=response.headers.location;continue}}else if(response.statusCode===429){let tryAgain=!0;
if(throttleCallback&&(tryAgain=yield throttleCallback(attempt,url)),tryAgain){let stall3=0,retryAfter=response.headers["\
retry-after"];typeof retryAfter=="string"&&retryAfter.match(/^[1-9][0-9]*$/)?stall3=parseInt(retryAfter)*1e3:stall3=throttleSlotInterval*
parseInt(String(Math.random()*Math.pow(2,attempt))),yield staller(stall3);continue}}}}catch(error){response=error.response,
response==null&&(runningTimeout.cancel(),logger28.throwError("missing response",Logger.errors.SERVER_ERROR,{requestBody:bodyify(
options.body,flatHeaders["content-type"]),requestMethod:options.method,serverError:error,url}))}let body2=response.body;
if(allow304&&response.statusCode===304?body2=null:!errorPassThrough&&(response.statusCode<200||response.statusCode>=300)&&
(runningTimeout.cancel(),logger28.throwError("bad response",Logger.errors.SERVER_ERROR,{status:response.statusCode,headers:response.
headers,body:bodyify(body2,response.headers?response.headers["content-type"]:null),requestBody:bodyify(options.body,flatHeaders["\
content-type"]),requestMethod:options.method,url})),processFunc)try{let result=yield processFunc(body2,response);return runningTimeout.
cancel(),result}catch(error){if(error.throttleRetry&&attempt<attemptLimit){let tryAgain=!0;if(throttleCallback&&(tryAgain=
yield throttleCallback(attempt,url)),tryAgain){let timeout2=throttleSlotInterval*parseInt(String(Math.random()*Math.pow(
2,attempt)));yield staller(timeout2);continue}}runningTimeout.cancel(),logger28.throwError("processing response error",Logger.
errors.SERVER_ERROR,{body:bodyify(body2,response.headers?response.headers["content-type"]:null),error,requestBody:bodyify(
options.body,flatHeaders["content-type"]),requestMethod:options.method,url})}return runningTimeout.cancel(),body2}return logger28.
throwError("failed response",Logger.errors.SERVER_ERROR,{requestBody:bodyify(options.body,flatHeaders["content-type"]),requestMethod:options.
method,url})})})();return Promise.race([runningTimeout.promise,runningFetch])}__name(_fetchData,"_fetchData");function fetchJson(connection,json,processFunc){
let processJsonFunc=__name((value,response)=>{let result=null;if(value!=null)try{result=JSON.parse(toUtf8String(value))}catch(error){
logger28.throwError("invalid JSON",Logger.errors.SERVER_ERROR,{body:value,error})}return processFunc&&(result=processFunc(
result,response)),result},"processJsonFunc"),body=null;if(json!=null){body=toUtf8Bytes(json);let updated=typeof connection==
"string"?{url:connection}:shallowCopy(connection);updated.headers?Object.keys(updated.headers).filter(k=>k.toLowerCase()===
"content-type").length!==0||(updated.headers=shallowCopy(updated.headers),updated.headers["content-type"]="application/j\
son"):updated.headers={"content-type":"application/json"},connection=updated}return _fetchData(connection,body,processJsonFunc)}
__name(fetchJson,"fetchJson");function poll(func,options){return options||(options={}),options=shallowCopy(options),options.
floor==null&&(options.floor=0),options.ceiling==null&&(options.ceiling=1e4),options.interval==null&&(options.interval=250),
new Promise(function(resolve,reject){let timer2=null,done=!1,cancel=__name(()=>done?!1:(done=!0,timer2&&clearTimeout(timer2),
!0),"cancel");options.timeout&&(timer2=setTimeout(()=>{cancel()&&reject(new Error("timeout"))},options.timeout));let retryLimit=options.
retryLimit,attempt=0;function check(){return func().then(function(result){if(result!==void 0)cancel()&&resolve(result);else if(options.
oncePoll)options.oncePoll.once("poll",check);else if(options.onceBlock)options.onceBlock.once("block",check);else if(!done){
if(attempt++,attempt>retryLimit){cancel()&&reject(new Error("retry limit reached"));return}let timeout=options.interval*
parseInt(String(Math.random()*Math.pow(2,attempt)));timeout<options.floor&&(timeout=options.floor),timeout>options.ceiling&&
(timeout=options.ceiling),setTimeout(check,timeout)}return null},function(error){cancel()&&reject(error)})}__name(check,
"check"),check()})}__name(poll,"poll");var import_bech32=__toESM(require_bech32());init_lib();var version22="providers/5.7.2";init_lib3();init_ethersproject_bytes();init_lib5();init_lib();var logger29=new Logger(version22),Formatter=class _Formatter{static{__name(this,"Formatter")}constructor(){this.formats=
this.getDefaultFormats()}getDefaultFormats(){let formats={},address=this.address.bind(this),bigNumber=this.bigNumber.bind(
this),blockTag=this.blockTag.bind(this),data=this.data.bind(this),hash=this.hash.bind(this),hex=this.hex.bind(this),number=this.
number.bind(this),type=this.type.bind(this),strictData=__name(v=>this.data(v,!0),"strictData");return formats.transaction=
{hash,type,accessList:_Formatter.allowNull(this.accessList.bind(this),null),blockHash:_Formatter.allowNull(hash,null),blockNumber:_Formatter.
allowNull(number,null),transactionIndex:_Formatter.allowNull(number,null),confirmations:_Formatter.allowNull(number,null),
from:address,gasPrice:_Formatter.allowNull(bigNumber),maxPriorityFeePerGas:_Formatter.allowNull(bigNumber),maxFeePerGas:_Formatter.
allowNull(bigNumber),gasLimit:bigNumber,to:_Formatter.allowNull(address,null),value:bigNumber,nonce:number,data,r:_Formatter.
allowNull(this.uint256),s:_Formatter.allowNull(this.uint256),v:_Formatter.allowNull(number),creates:_Formatter.allowNull(
address,null),raw:_Formatter.allowNull(data)},formats.transactionRequest={from:_Formatter.allowNull(address),nonce:_Formatter.
allowNull(number),gasLimit:_Formatter.allowNull(bigNumber),gasPrice:_Formatter.allowNull(bigNumber),maxPriorityFeePerGas:_Formatter.
allowNull(bigNumber),maxFeePerGas:_Formatter.allowNull(bigNumber),to:_Formatter.allowNull(address),value:_Formatter.allowNull(
bigNumber),data:_Formatter.allowNull(strictData),type:_Formatter.allowNull(number),accessList:_Formatter.allowNull(this.
accessList.bind(this),null)},formats.receiptLog={transactionIndex:number,blockNumber:number,transactionHash:hash,address,
topics:_Formatter.arrayOf(hash),data,logIndex:number,blockHash:hash},formats.receipt={to:_Formatter.allowNull(this.address,
null),from:_Formatter.allowNull(this.address,null),contractAddress:_Formatter.allowNull(address,null),transactionIndex:number,
root:_Formatter.allowNull(hex),gasUsed:bigNumber,logsBloom:_Formatter.allowNull(data),blockHash:hash,transactionHash:hash,
logs:_Formatter.arrayOf(this.receiptLog.bind(this)),blockNumber:number,confirmations:_Formatter.allowNull(number,null),cumulativeGasUsed:bigNumber,
effectiveGasPrice:_Formatter.allowNull(bigNumber),status:_Formatter.allowNull(number),type},formats.block={hash:_Formatter.
allowNull(hash),parentHash:hash,number,timestamp:number,nonce:_Formatter.allowNull(hex),difficulty:this.difficulty.bind(
this),gasLimit:bigNumber,gasUsed:bigNumber,miner:_Formatter.allowNull(address),extraData:data,transactions:_Formatter.allowNull(
_Formatter.arrayOf(hash)),baseFeePerGas:_Formatter.allowNull(bigNumber)},formats.blockWithTransactions=shallowCopy(formats.
block),formats.blockWithTransactions.transactions=_Formatter.allowNull(_Formatter.arrayOf(this.transactionResponse.bind(
this))),formats.filter={fromBlock:_Formatter.allowNull(blockTag,void 0),toBlock:_Formatter.allowNull(blockTag,void 0),blockHash:_Formatter.
allowNull(hash,void 0),address:_Formatter.allowNull(address,void 0),topics:_Formatter.allowNull(this.topics.bind(this),void 0)},
formats.filterLog={blockNumber:_Formatter.allowNull(number),blockHash:_Formatter.allowNull(hash),transactionIndex:number,
removed:_Formatter.allowNull(this.boolean.bind(this)),address,data:_Formatter.allowFalsish(data,"0x"),topics:_Formatter.
arrayOf(hash),transactionHash:hash,logIndex:number},formats}accessList(accessList){return accessListify(accessList||[])}number(number){
return number==="0x"?0:BigNumber.from(number).toNumber()}type(number){return number==="0x"||number==null?0:BigNumber.from(
number).toNumber()}bigNumber(value){return BigNumber.from(value)}boolean(value){if(typeof value=="boolean")return value;
if(typeof value=="string"){if(value=value.toLowerCase(),value==="true")return!0;if(value==="false")return!1}throw new Error(
"invalid boolean - "+value)}hex(value,strict){return typeof value=="string"&&(!strict&&value.substring(0,2)!=="0x"&&(value=
"0x"+value),isHexString(value))?value.toLowerCase():logger29.throwArgumentError("invalid hash","value",value)}data(value,strict){
let result=this.hex(value,strict);if(result.length%2!==0)throw new Error("invalid data; odd-length - "+value);return result}address(value){
return getAddress(value)}callAddress(value){if(!isHexString(value,32))return null;let address=getAddress(hexDataSlice(value,
12));return address===AddressZero?null:address}contractAddress(value){return getContractAddress(value)}blockTag(blockTag){
if(blockTag==null)return"latest";if(blockTag==="earliest")return"0x0";switch(blockTag){case"earliest":return"0x0";case"l\
atest":case"pending":case"safe":case"finalized":return blockTag}if(typeof blockTag=="number"||isHexString(blockTag))return hexValue(
blockTag);throw new Error("invalid blockTag")}hash(value,strict){let result=this.hex(value,strict);return hexDataLength(
result)!==32?logger29.throwArgumentError("invalid hash","value",value):result}difficulty(value){if(value==null)return null;
let v=BigNumber.from(value);try{return v.toNumber()}catch{}return null}uint256(value){if(!isHexString(value))throw new Error(
"invalid uint256");return hexZeroPad(value,32)}_block(value,format){value.author!=null&&value.miner==null&&(value.miner=
value.author);let difficulty=value._difficulty!=null?value._difficulty:value.difficulty,result=_Formatter.check(format,value);
return result._difficulty=difficulty==null?null:BigNumber.from(difficulty),result}block(value){return this._block(value,
this.formats.block)}blockWithTransactions(value){return this._block(value,this.formats.blockWithTransactions)}transactionRequest(value){
return _Formatter.check(this.formats.transactionRequest,value)}transactionResponse(transaction){transaction.gas!=null&&transaction.
gasLimit==null&&(transaction.gasLimit=transaction.gas),transaction.to&&BigNumber.from(transaction.to).isZero()&&(transaction.
to="0x0000000000000000000000000000000000000000"),transaction.input!=null&&transaction.data==null&&(transaction.data=transaction.
input),transaction.to==null&&transaction.creates==null&&(transaction.creates=this.contractAddress(transaction)),(transaction.
type===1||transaction.type===2)&&transaction.accessList==null&&(transaction.accessList=[]);let result=_Formatter.check(this.
formats.transaction,transaction);if(transaction.chainId!=null){let chainId=transaction.chainId;isHexString(chainId)&&(chainId=
BigNumber.from(chainId).toNumber()),result.chainId=chainId}else{let chainId=transaction.networkId;chainId==null&&result.
v==null&&(chainId=transaction.chainId),isHexString(chainId)&&(chainId=BigNumber.from(chainId).toNumber()),typeof chainId!=
"number"&&result.v!=null&&(chainId=(result.v-35)/2,chainId<0&&(chainId=0),chainId=parseInt(chainId)),typeof chainId!="nu\
mber"&&(chainId=0),result.chainId=chainId}return result.blockHash&&result.blockHash.replace(/0/g,"")==="x"&&(result.blockHash=
null),result}transaction(value){return parse(value)}receiptLog(value){return _Formatter.check(this.formats.receiptLog,value)}receipt(value){
let result=_Formatter.check(this.formats.receipt,value);if(result.root!=null)if(result.root.length<=4){let value2=BigNumber.
from(result.root).toNumber();value2===0||value2===1?(result.status!=null&&result.status!==value2&&logger29.throwArgumentError(
"alt-root-status/status mismatch","value",{root:result.root,status:result.status}),result.status=value2,delete result.root):
logger29.throwArgumentError("invalid alt-root-status","value.root",result.root)}else result.root.length!==66&&logger29.throwArgumentError(
"invalid root hash","value.root",result.root);return result.status!=null&&(result.byzantium=!0),result}topics(value){return Array.
isArray(value)?value.map(v=>this.topics(v)):value!=null?this.hash(value,!0):null}filter(value){return _Formatter.check(this.
formats.filter,value)}filterLog(value){return _Formatter.check(this.formats.filterLog,value)}static check(format,object){
let result={};for(let key in format)try{let value=format[key](object[key]);value!==void 0&&(result[key]=value)}catch(error){
throw error.checkKey=key,error.checkValue=object[key],error}return result}static allowNull(format,nullValue){return(function(value){
return value==null?nullValue:format(value)})}static allowFalsish(format,replaceValue){return(function(value){return value?
format(value):replaceValue})}static arrayOf(format){return(function(array){if(!Array.isArray(array))throw new Error("not\
 an array");let result=[];return array.forEach(function(value){result.push(format(value))}),result})}};function isCommunityResourcable(value){
return value&&typeof value.isCommunityResource=="function"}__name(isCommunityResourcable,"isCommunityResourcable");function isCommunityResource(value){
return isCommunityResourcable(value)&&value.isCommunityResource()}__name(isCommunityResource,"isCommunityResource");var throttleMessage=!1;
function showThrottleMessage(){throttleMessage||(throttleMessage=!0,console.log("========= NOTICE ========="),console.log(
"Request-Rate Exceeded  (this message will not be repeated)"),console.log(""),console.log("The default API keys for each\
 service are provided as a highly-throttled,"),console.log("community resource for low-traffic projects and early protot\
yping."),console.log(""),console.log("While your application will continue to function, we highly recommended"),console.
log("signing up for your own API keys to improve performance, increase your"),console.log("request rate/limit and enable\
 other perks, such as metrics and advanced APIs."),console.log(""),console.log("For more details: https://docs.ethers.io\
/api-keys/"),console.log("=========================="))}__name(showThrottleMessage,"showThrottleMessage");var __awaiter10=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger30=new Logger(version22),MAX_CCIP_REDIRECTS=10;function checkTopic(topic){return topic==null?"null":(hexDataLength(
topic)!==32&&logger30.throwArgumentError("invalid topic","topic",topic),topic.toLowerCase())}__name(checkTopic,"checkTop\
ic");function serializeTopics(topics){for(topics=topics.slice();topics.length>0&&topics[topics.length-1]==null;)topics.pop();
return topics.map(topic=>{if(Array.isArray(topic)){let unique={};topic.forEach(topic2=>{unique[checkTopic(topic2)]=!0});
let sorted=Object.keys(unique);return sorted.sort(),sorted.join("|")}else return checkTopic(topic)}).join("&")}__name(serializeTopics,
"serializeTopics");function deserializeTopics(data){return data===""?[]:data.split(/&/g).map(topic=>{if(topic==="")return[];
let comps=topic.split("|").map(topic2=>topic2==="null"?null:topic2);return comps.length===1?comps[0]:comps})}__name(deserializeTopics,
"deserializeTopics");function getEventTag2(eventName){if(typeof eventName=="string"){if(eventName=eventName.toLowerCase(),
hexDataLength(eventName)===32)return"tx:"+eventName;if(eventName.indexOf(":")===-1)return eventName}else{if(Array.isArray(
eventName))return"filter:*:"+serializeTopics(eventName);if(ForkEvent.isForkEvent(eventName))throw logger30.warn("not imp\
lemented"),new Error("not implemented");if(eventName&&typeof eventName=="object")return"filter:"+(eventName.address||"*")+
":"+serializeTopics(eventName.topics||[])}throw new Error("invalid event - "+eventName)}__name(getEventTag2,"getEventTag");
function getTime(){return new Date().getTime()}__name(getTime,"getTime");function stall(duration){return new Promise(resolve=>{
setTimeout(resolve,duration)})}__name(stall,"stall");var PollableEvents=["block","network","pending","poll"],Event=class{static{
__name(this,"Event")}constructor(tag,listener,once2){defineReadOnly(this,"tag",tag),defineReadOnly(this,"listener",listener),
defineReadOnly(this,"once",once2),this._lastBlockNumber=-2,this._inflight=!1}get event(){switch(this.type){case"tx":return this.
hash;case"filter":return this.filter}return this.tag}get type(){return this.tag.split(":")[0]}get hash(){let comps=this.
tag.split(":");return comps[0]!=="tx"?null:comps[1]}get filter(){let comps=this.tag.split(":");if(comps[0]!=="filter")return null;
let address=comps[1],topics=deserializeTopics(comps[2]),filter={};return topics.length>0&&(filter.topics=topics),address&&
address!=="*"&&(filter.address=address),filter}pollable(){return this.tag.indexOf(":")>=0||PollableEvents.indexOf(this.tag)>=
0}},coinInfos={0:{symbol:"btc",p2pkh:0,p2sh:5,prefix:"bc"},2:{symbol:"ltc",p2pkh:48,p2sh:50,prefix:"ltc"},3:{symbol:"dog\
e",p2pkh:30,p2sh:22},60:{symbol:"eth",ilk:"eth"},61:{symbol:"etc",ilk:"eth"},700:{symbol:"xdai",ilk:"eth"}};function bytes32ify(value){
return hexZeroPad(BigNumber.from(value).toHexString(),32)}__name(bytes32ify,"bytes32ify");function base58Encode(data){return Base58.
encode(concat([data,hexDataSlice(sha256(sha256(data)),0,4)]))}__name(base58Encode,"base58Encode");var matcherIpfs=new RegExp(
"^(ipfs)://(.*)$","i"),matchers=[new RegExp("^(https)://(.*)$","i"),new RegExp("^(data):(.*)$","i"),matcherIpfs,new RegExp(
"^eip155:[0-9]+/(erc[0-9]+):(.*)$","i")];function _parseString(result,start){try{return toUtf8String(_parseBytes(result,
start))}catch{}return null}__name(_parseString,"_parseString");function _parseBytes(result,start){if(result==="0x")return null;
let offset=BigNumber.from(hexDataSlice(result,start,start+32)).toNumber(),length=BigNumber.from(hexDataSlice(result,offset,
offset+32)).toNumber();return hexDataSlice(result,offset+32,offset+32+length)}__name(_parseBytes,"_parseBytes");function getIpfsLink(link){
return link.match(/^ipfs:\/\/ipfs\//i)?link=link.substring(12):link.match(/^ipfs:\/\//i)?link=link.substring(7):logger30.
throwArgumentError("unsupported IPFS format","link",link),`https://gateway.ipfs.io/ipfs/${link}`}__name(getIpfsLink,"get\
IpfsLink");function numPad(value){let result=arrayify2(value);if(result.length>32)throw new Error("internal; should not \
happen");let padded=new Uint8Array(32);return padded.set(result,32-result.length),padded}__name(numPad,"numPad");function bytesPad(value){
if(value.length%32===0)return value;let result=new Uint8Array(Math.ceil(value.length/32)*32);return result.set(value),result}
__name(bytesPad,"bytesPad");function encodeBytes(datas){let result=[],byteCount=0;for(let i=0;i<datas.length;i++)result.
push(null),byteCount+=32;for(let i=0;i<datas.length;i++){let data=arrayify2(datas[i]);result[i]=numPad(byteCount),result.
push(numPad(data.length)),result.push(bytesPad(data)),byteCount+=32+Math.ceil(data.length/32)*32}return hexConcat(result)}
__name(encodeBytes,"encodeBytes");var Resolver=class{static{__name(this,"Resolver")}constructor(provider,address,name,resolvedAddress){
defineReadOnly(this,"provider",provider),defineReadOnly(this,"name",name),defineReadOnly(this,"address",provider.formatter.
address(address)),defineReadOnly(this,"_resolvedAddress",resolvedAddress)}supportsWildcard(){return this._supportsEip2544||
(this._supportsEip2544=this.provider.call({to:this.address,data:"0x01ffc9a79061b9230000000000000000000000000000000000000\
0000000000000000000"}).then(result=>BigNumber.from(result).eq(1)).catch(error=>{if(error.code===Logger.errors.CALL_EXCEPTION)
return!1;throw this._supportsEip2544=null,error})),this._supportsEip2544}_fetch(selector,parameters){return __awaiter10(
this,void 0,void 0,function*(){let tx={to:this.address,ccipReadEnabled:!0,data:hexConcat([selector,namehash2(this.name),
parameters||"0x"])},parseBytes=!1;(yield this.supportsWildcard())&&(parseBytes=!0,tx.data=hexConcat(["0x9061b923",encodeBytes(
[dnsEncode2(this.name),tx.data])]));try{let result=yield this.provider.call(tx);return arrayify2(result).length%32===4&&
logger30.throwError("resolver threw error",Logger.errors.CALL_EXCEPTION,{transaction:tx,data:result}),parseBytes&&(result=
_parseBytes(result,0)),result}catch(error){if(error.code===Logger.errors.CALL_EXCEPTION)return null;throw error}})}_fetchBytes(selector,parameters){
return __awaiter10(this,void 0,void 0,function*(){let result=yield this._fetch(selector,parameters);return result!=null?
_parseBytes(result,0):null})}_getAddress(coinType,hexBytes){let coinInfo=coinInfos[String(coinType)];if(coinInfo==null&&
logger30.throwError(`unsupported coin type: ${coinType}`,Logger.errors.UNSUPPORTED_OPERATION,{operation:`getAddress(${coinType}\
)`}),coinInfo.ilk==="eth")return this.provider.formatter.address(hexBytes);let bytes3=arrayify2(hexBytes);if(coinInfo.p2pkh!=
null){let p2pkh=hexBytes.match(/^0x76a9([0-9a-f][0-9a-f])([0-9a-f]*)88ac$/);if(p2pkh){let length=parseInt(p2pkh[1],16);if(p2pkh[2].
length===length*2&&length>=1&&length<=75)return base58Encode(concat([[coinInfo.p2pkh],"0x"+p2pkh[2]]))}}if(coinInfo.p2sh!=
null){let p2sh=hexBytes.match(/^0xa9([0-9a-f][0-9a-f])([0-9a-f]*)87$/);if(p2sh){let length=parseInt(p2sh[1],16);if(p2sh[2].
length===length*2&&length>=1&&length<=75)return base58Encode(concat([[coinInfo.p2sh],"0x"+p2sh[2]]))}}if(coinInfo.prefix!=
null){let length=bytes3[1],version26=bytes3[0];if(version26===0?length!==20&&length!==32&&(version26=-1):version26=-1,version26>=
0&&bytes3.length===2+length&&length>=1&&length<=75){let words2=import_bech32.default.toWords(bytes3.slice(2));return words2.
unshift(version26),import_bech32.default.encode(coinInfo.prefix,words2)}}return null}getAddress(coinType){return __awaiter10(
this,void 0,void 0,function*(){if(coinType==null&&(coinType=60),coinType===60)try{let result=yield this._fetch("0x3b3b57\
de");return result==="0x"||result===HashZero?null:this.provider.formatter.callAddress(result)}catch(error){if(error.code===
Logger.errors.CALL_EXCEPTION)return null;throw error}let hexBytes=yield this._fetchBytes("0xf1cb7e06",bytes32ify(coinType));
if(hexBytes==null||hexBytes==="0x")return null;let address=this._getAddress(coinType,hexBytes);return address==null&&logger30.
throwError("invalid or unsupported coin data",Logger.errors.UNSUPPORTED_OPERATION,{operation:`getAddress(${coinType})`,coinType,
data:hexBytes}),address})}getAvatar(){return __awaiter10(this,void 0,void 0,function*(){let linkage=[{type:"name",content:this.
name}];try{let avatar=yield this.getText("avatar");if(avatar==null)return null;for(let i=0;i<matchers.length;i++){let match=avatar.
match(matchers[i]);if(match==null)continue;let scheme=match[1].toLowerCase();switch(scheme){case"https":return linkage.push(
{type:"url",content:avatar}),{linkage,url:avatar};case"data":return linkage.push({type:"data",content:avatar}),{linkage,
url:avatar};case"ipfs":return linkage.push({type:"ipfs",content:avatar}),{linkage,url:getIpfsLink(avatar)};case"erc721":case"\
erc1155":{let selector=scheme==="erc721"?"0xc87b56dd":"0x0e89341c";linkage.push({type:scheme,content:avatar});let owner=this.
_resolvedAddress||(yield this.getAddress()),comps=(match[2]||"").split("/");if(comps.length!==2)return null;let addr=yield this.
provider.formatter.address(comps[0]),tokenId=hexZeroPad(BigNumber.from(comps[1]).toHexString(),32);if(scheme==="erc721"){
let tokenOwner=this.provider.formatter.callAddress(yield this.provider.call({to:addr,data:hexConcat(["0x6352211e",tokenId])}));
if(owner!==tokenOwner)return null;linkage.push({type:"owner",content:tokenOwner})}else if(scheme==="erc1155"){let balance=BigNumber.
from(yield this.provider.call({to:addr,data:hexConcat(["0x00fdd58e",hexZeroPad(owner,32),tokenId])}));if(balance.isZero())
return null;linkage.push({type:"balance",content:balance.toString()})}let tx={to:this.provider.formatter.address(comps[0]),
data:hexConcat([selector,tokenId])},metadataUrl=_parseString(yield this.provider.call(tx),0);if(metadataUrl==null)return null;
linkage.push({type:"metadata-url-base",content:metadataUrl}),scheme==="erc1155"&&(metadataUrl=metadataUrl.replace("{id}",
tokenId.substring(2)),linkage.push({type:"metadata-url-expanded",content:metadataUrl})),metadataUrl.match(/^ipfs:/i)&&(metadataUrl=
getIpfsLink(metadataUrl)),linkage.push({type:"metadata-url",content:metadataUrl});let metadata=yield fetchJson(metadataUrl);
if(!metadata)return null;linkage.push({type:"metadata",content:JSON.stringify(metadata)});let imageUrl=metadata.image;if(typeof imageUrl!=
"string")return null;if(!imageUrl.match(/^(https:\/\/|data:)/i)){if(imageUrl.match(matcherIpfs)==null)return null;linkage.
push({type:"url-ipfs",content:imageUrl}),imageUrl=getIpfsLink(imageUrl)}return linkage.push({type:"url",content:imageUrl}),
{linkage,url:imageUrl}}}}}catch{}return null})}getContentHash(){return __awaiter10(this,void 0,void 0,function*(){let hexBytes=yield this.
_fetchBytes("0xbc1c58d1");if(hexBytes==null||hexBytes==="0x")return null;let ipfs=hexBytes.match(/^0xe3010170(([0-9a-f][0-9a-f])([0-9a-f][0-9a-f])([0-9a-f]*))$/);
if(ipfs){let length=parseInt(ipfs[3],16);if(ipfs[4].length===length*2)return"ipfs://"+Base58.encode("0x"+ipfs[1])}let ipns=hexBytes.
match(/^0xe5010172(([0-9a-f][0-9a-f])([0-9a-f][0-9a-f])([0-9a-f]*))$/);if(ipns){let length=parseInt(ipns[3],16);if(ipns[4].
length===length*2)return"ipns://"+Base58.encode("0x"+ipns[1])}let swarm=hexBytes.match(/^0xe40101fa011b20([0-9a-f]*)$/);
if(swarm&&swarm[1].length===64)return"bzz://"+swarm[1];let skynet=hexBytes.match(/^0x90b2c605([0-9a-f]*)$/);if(skynet&&skynet[1].
length===68){let urlSafe={"=":"","+":"-","/":"_"};return"sia://"+encode2("0x"+skynet[1]).replace(/[=+\/]/g,a=>urlSafe[a])}
return logger30.throwError("invalid or unsupported content hash data",Logger.errors.UNSUPPORTED_OPERATION,{operation:"ge\
tContentHash()",data:hexBytes})})}getText(key){return __awaiter10(this,void 0,void 0,function*(){let keyBytes=toUtf8Bytes(
key);keyBytes=concat([bytes32ify(64),bytes32ify(keyBytes.length),keyBytes]),keyBytes.length%32!==0&&(keyBytes=concat([keyBytes,
hexZeroPad("0x",32-key.length%32)]));let hexBytes=yield this._fetchBytes("0x59d1d43c",hexlify2(keyBytes));return hexBytes==
null||hexBytes==="0x"?null:toUtf8String(hexBytes)})}},defaultFormatter=null,nextPollId=1,BaseProvider=class extends Provider{static{
__name(this,"BaseProvider")}constructor(network){if(super(),this._events=[],this._emitted={block:-2},this.disableCcipRead=
!1,this.formatter=new.target.getFormatter(),defineReadOnly(this,"anyNetwork",network==="any"),this.anyNetwork&&(network=
this.detectNetwork()),network instanceof Promise)this._networkPromise=network,network.catch(error=>{}),this._ready().catch(
error=>{});else{let knownNetwork=getStatic(new.target,"getNetwork")(network);knownNetwork?(defineReadOnly(this,"_network",
knownNetwork),this.emit("network",knownNetwork,null)):logger30.throwArgumentError("invalid network","network",network)}this.
_maxInternalBlockNumber=-1024,this._lastBlockNumber=-2,this._maxFilterBlockRange=10,this._pollingInterval=4e3,this._fastQueryDate=
0}_ready(){return __awaiter10(this,void 0,void 0,function*(){if(this._network==null){let network=null;if(this._networkPromise)
try{network=yield this._networkPromise}catch{}network==null&&(network=yield this.detectNetwork()),network||logger30.throwError(
"no network detected",Logger.errors.UNKNOWN_ERROR,{}),this._network==null&&(this.anyNetwork?this._network=network:defineReadOnly(
this,"_network",network),this.emit("network",network,null))}return this._network})}get ready(){return poll(()=>this._ready().
then(network=>network,error=>{if(!(error.code===Logger.errors.NETWORK_ERROR&&error.event==="noNetwork"))throw error}))}static getFormatter(){
return defaultFormatter==null&&(defaultFormatter=new Formatter),defaultFormatter}static getNetwork(network){return getNetwork(
network??"homestead")}ccipReadFetch(tx,calldata,urls){return __awaiter10(this,void 0,void 0,function*(){if(this.disableCcipRead||
urls.length===0)return null;let sender=tx.to.toLowerCase(),data=calldata.toLowerCase(),errorMessages=[];for(let i=0;i<urls.
length;i++){let url=urls[i],href=url.replace("{sender}",sender).replace("{data}",data),json=url.indexOf("{data}")>=0?null:
JSON.stringify({data,sender}),result=yield fetchJson({url:href,errorPassThrough:!0},json,(value,response)=>(value.status=
response.statusCode,value));if(result.data)return result.data;let errorMessage=result.message||"unknown error";if(result.
status>=400&&result.status<500)return logger30.throwError(`response not found during CCIP fetch: ${errorMessage}`,Logger.
errors.SERVER_ERROR,{url,errorMessage});errorMessages.push(errorMessage)}return logger30.throwError(`error encountered d\
uring CCIP fetch: ${errorMessages.map(m=>JSON.stringify(m)).join(", ")}`,Logger.errors.SERVER_ERROR,{urls,errorMessages})})}_getInternalBlockNumber(maxAge){
return __awaiter10(this,void 0,void 0,function*(){if(yield this._ready(),maxAge>0)for(;this._internalBlockNumber;){let internalBlockNumber=this.
_internalBlockNumber;try{let result=yield internalBlockNumber;if(getTime()-result.respTime<=maxAge)return result.blockNumber;
break}catch{if(this._internalBlockNumber===internalBlockNumber)break}}let reqTime=getTime(),checkInternalBlockNumber=resolveProperties(
{blockNumber:this.perform("getBlockNumber",{}),networkError:this.getNetwork().then(network=>null,error=>error)}).then(({
blockNumber,networkError})=>{if(networkError)throw this._internalBlockNumber===checkInternalBlockNumber&&(this._internalBlockNumber=
null),networkError;let respTime=getTime();return blockNumber=BigNumber.from(blockNumber).toNumber(),blockNumber<this._maxInternalBlockNumber&&
(blockNumber=this._maxInternalBlockNumber),this._maxInternalBlockNumber=blockNumber,this._setFastBlockNumber(blockNumber),
{blockNumber,reqTime,respTime}});return this._internalBlockNumber=checkInternalBlockNumber,checkInternalBlockNumber.catch(
error=>{this._internalBlockNumber===checkInternalBlockNumber&&(this._internalBlockNumber=null)}),(yield checkInternalBlockNumber).
blockNumber})}poll(){return __awaiter10(this,void 0,void 0,function*(){let pollId=nextPollId++,runners=[],blockNumber=null;
try{blockNumber=yield this._getInternalBlockNumber(100+this.pollingInterval/2)}catch(error){this.emit("error",error);return}
if(this._setFastBlockNumber(blockNumber),this.emit("poll",pollId,blockNumber),blockNumber===this._lastBlockNumber){this.
emit("didPoll",pollId);return}if(this._emitted.block===-2&&(this._emitted.block=blockNumber-1),Math.abs(this._emitted.block-
blockNumber)>1e3)logger30.warn(`network block skew detected; skipping block events (emitted=${this._emitted.block} block\
Number${blockNumber})`),this.emit("error",logger30.makeError("network block skew detected",Logger.errors.NETWORK_ERROR,{
blockNumber,event:"blockSkew",previousBlockNumber:this._emitted.block})),this.emit("block",blockNumber);else for(let i=this.
_emitted.block+1;i<=blockNumber;i++)this.emit("block",i);this._emitted.block!==blockNumber&&(this._emitted.block=blockNumber,
Object.keys(this._emitted).forEach(key=>{if(key==="block")return;let eventBlockNumber=this._emitted[key];eventBlockNumber!==
"pending"&&blockNumber-eventBlockNumber>12&&delete this._emitted[key]})),this._lastBlockNumber===-2&&(this._lastBlockNumber=
blockNumber-1),this._events.forEach(event=>{switch(event.type){case"tx":{let hash=event.hash,runner=this.getTransactionReceipt(
hash).then(receipt=>(!receipt||receipt.blockNumber==null||(this._emitted["t:"+hash]=receipt.blockNumber,this.emit(hash,receipt)),
null)).catch(error=>{this.emit("error",error)});runners.push(runner);break}case"filter":{if(!event._inflight){event._inflight=
!0,event._lastBlockNumber===-2&&(event._lastBlockNumber=blockNumber-1);let filter=event.filter;filter.fromBlock=event._lastBlockNumber+
1,filter.toBlock=blockNumber;let minFromBlock=filter.toBlock-this._maxFilterBlockRange;minFromBlock>filter.fromBlock&&(filter.
fromBlock=minFromBlock),filter.fromBlock<0&&(filter.fromBlock=0);let runner=this.getLogs(filter).then(logs=>{event._inflight=
!1,logs.length!==0&&logs.forEach(log=>{log.blockNumber>event._lastBlockNumber&&(event._lastBlockNumber=log.blockNumber),
this._emitted["b:"+log.blockHash]=log.blockNumber,this._emitted["t:"+log.transactionHash]=log.blockNumber,this.emit(filter,
log)})}).catch(error=>{this.emit("error",error),event._inflight=!1});runners.push(runner)}break}}}),this._lastBlockNumber=
blockNumber,Promise.all(runners).then(()=>{this.emit("didPoll",pollId)}).catch(error=>{this.emit("error",error)})})}resetEventsBlock(blockNumber){
this._lastBlockNumber=blockNumber-1,this.polling&&this.poll()}get network(){return this._network}detectNetwork(){return __awaiter10(
this,void 0,void 0,function*(){return logger30.throwError("provider does not support network detection",Logger.errors.UNSUPPORTED_OPERATION,
{operation:"provider.detectNetwork"})})}getNetwork(){return __awaiter10(this,void 0,void 0,function*(){let network=yield this.
_ready(),currentNetwork=yield this.detectNetwork();if(network.chainId!==currentNetwork.chainId){if(this.anyNetwork)return this.
_network=currentNetwork,this._lastBlockNumber=-2,this._fastBlockNumber=null,this._fastBlockNumberPromise=null,this._fastQueryDate=
0,this._emitted.block=-2,this._maxInternalBlockNumber=-1024,this._internalBlockNumber=null,this.emit("network",currentNetwork,
network),yield stall(0),this._network;let error=logger30.makeError("underlying network changed",Logger.errors.NETWORK_ERROR,
{event:"changed",network,detectedNetwork:currentNetwork});throw this.emit("error",error),error}return network})}get blockNumber(){
return this._getInternalBlockNumber(100+this.pollingInterval/2).then(blockNumber=>{this._setFastBlockNumber(blockNumber)},
error=>{}),this._fastBlockNumber!=null?this._fastBlockNumber:-1}get polling(){return this._poller!=null}set polling(value){
value&&!this._poller?(this._poller=setInterval(()=>{this.poll()},this.pollingInterval),this._bootstrapPoll||(this._bootstrapPoll=
setTimeout(()=>{this.poll(),this._bootstrapPoll=setTimeout(()=>{this._poller||this.poll(),this._bootstrapPoll=null},this.
pollingInterval)},0))):!value&&this._poller&&(clearInterval(this._poller),this._poller=null)}get pollingInterval(){return this.
_pollingInterval}set pollingInterval(value){if(typeof value!="number"||value<=0||parseInt(String(value))!=value)throw new Error(
"invalid polling interval");this._pollingInterval=value,this._poller&&(clearInterval(this._poller),this._poller=setInterval(
()=>{this.poll()},this._pollingInterval))}_getFastBlockNumber(){let now2=getTime();return now2-this._fastQueryDate>2*this.
_pollingInterval&&(this._fastQueryDate=now2,this._fastBlockNumberPromise=this.getBlockNumber().then(blockNumber=>((this.
_fastBlockNumber==null||blockNumber>this._fastBlockNumber)&&(this._fastBlockNumber=blockNumber),this._fastBlockNumber))),
this._fastBlockNumberPromise}_setFastBlockNumber(blockNumber){this._fastBlockNumber!=null&&blockNumber<this._fastBlockNumber||
(this._fastQueryDate=getTime(),(this._fastBlockNumber==null||blockNumber>this._fastBlockNumber)&&(this._fastBlockNumber=
blockNumber,this._fastBlockNumberPromise=Promise.resolve(blockNumber)))}waitForTransaction(transactionHash,confirmations,timeout){
return __awaiter10(this,void 0,void 0,function*(){return this._waitForTransaction(transactionHash,confirmations??1,timeout||
0,null)})}_waitForTransaction(transactionHash,confirmations,timeout,replaceable){return __awaiter10(this,void 0,void 0,function*(){
let receipt=yield this.getTransactionReceipt(transactionHash);return(receipt?receipt.confirmations:0)>=confirmations?receipt:
new Promise((resolve,reject)=>{let cancelFuncs=[],done=!1,alreadyDone=__name(function(){return done?!0:(done=!0,cancelFuncs.
forEach(func=>{func()}),!1)},"alreadyDone"),minedHandler=__name(receipt2=>{receipt2.confirmations<confirmations||alreadyDone()||
resolve(receipt2)},"minedHandler");if(this.on(transactionHash,minedHandler),cancelFuncs.push(()=>{this.removeListener(transactionHash,
minedHandler)}),replaceable){let lastBlockNumber=replaceable.startBlock,scannedBlock=null,replaceHandler=__name(blockNumber=>__awaiter10(
this,void 0,void 0,function*(){done||(yield stall(1e3),this.getTransactionCount(replaceable.from).then(nonce=>__awaiter10(
this,void 0,void 0,function*(){if(!done){if(nonce<=replaceable.nonce)lastBlockNumber=blockNumber;else{{let mined=yield this.
getTransaction(transactionHash);if(mined&&mined.blockNumber!=null)return}for(scannedBlock==null&&(scannedBlock=lastBlockNumber-
3,scannedBlock<replaceable.startBlock&&(scannedBlock=replaceable.startBlock));scannedBlock<=blockNumber;){if(done)return;
let block=yield this.getBlockWithTransactions(scannedBlock);for(let ti=0;ti<block.transactions.length;ti++){let tx=block.
transactions[ti];if(tx.hash===transactionHash)return;if(tx.from===replaceable.from&&tx.nonce===replaceable.nonce){if(done)
return;let receipt2=yield this.waitForTransaction(tx.hash,confirmations);if(alreadyDone())return;let reason="replaced";tx.
data===replaceable.data&&tx.to===replaceable.to&&tx.value.eq(replaceable.value)?reason="repriced":tx.data==="0x"&&tx.from===
tx.to&&tx.value.isZero()&&(reason="cancelled"),reject(logger30.makeError("transaction was replaced",Logger.errors.TRANSACTION_REPLACED,
{cancelled:reason==="replaced"||reason==="cancelled",reason,replacement:this._wrapTransaction(tx),hash:transactionHash,receipt:receipt2}));
return}}scannedBlock++}}done||this.once("block",replaceHandler)}}),error=>{done||this.once("block",replaceHandler)}))}),
"replaceHandler");if(done)return;this.once("block",replaceHandler),cancelFuncs.push(()=>{this.removeListener("block",replaceHandler)})}
if(typeof timeout=="number"&&timeout>0){let timer2=setTimeout(()=>{alreadyDone()||reject(logger30.makeError("timeout exc\
eeded",Logger.errors.TIMEOUT,{timeout}))},timeout);timer2.unref&&timer2.unref(),cancelFuncs.push(()=>{clearTimeout(timer2)})}})})}getBlockNumber(){
return __awaiter10(this,void 0,void 0,function*(){return this._getInternalBlockNumber(0)})}getGasPrice(){return __awaiter10(
this,void 0,void 0,function*(){yield this.getNetwork();let result=yield this.perform("getGasPrice",{});try{return BigNumber.
from(result)}catch(error){return logger30.throwError("bad result from backend",Logger.errors.SERVER_ERROR,{method:"getGa\
sPrice",result,error})}})}getBalance(addressOrName,blockTag){return __awaiter10(this,void 0,void 0,function*(){yield this.
getNetwork();let params=yield resolveProperties({address:this._getAddress(addressOrName),blockTag:this._getBlockTag(blockTag)}),
result=yield this.perform("getBalance",params);try{return BigNumber.from(result)}catch(error){return logger30.throwError(
"bad result from backend",Logger.errors.SERVER_ERROR,{method:"getBalance",params,result,error})}})}getTransactionCount(addressOrName,blockTag){
return __awaiter10(this,void 0,void 0,function*(){yield this.getNetwork();let params=yield resolveProperties({address:this.
_getAddress(addressOrName),blockTag:this._getBlockTag(blockTag)}),result=yield this.perform("getTransactionCount",params);
try{return BigNumber.from(result).toNumber()}catch(error){return logger30.throwError("bad result from backend",Logger.errors.
SERVER_ERROR,{method:"getTransactionCount",params,result,error})}})}getCode(addressOrName,blockTag){return __awaiter10(this,
void 0,void 0,function*(){yield this.getNetwork();let params=yield resolveProperties({address:this._getAddress(addressOrName),
blockTag:this._getBlockTag(blockTag)}),result=yield this.perform("getCode",params);try{return hexlify2(result)}catch(error){
return logger30.throwError("bad result from backend",Logger.errors.SERVER_ERROR,{method:"getCode",params,result,error})}})}getStorageAt(addressOrName,position,blockTag){
return __awaiter10(this,void 0,void 0,function*(){yield this.getNetwork();let params=yield resolveProperties({address:this.
_getAddress(addressOrName),blockTag:this._getBlockTag(blockTag),position:Promise.resolve(position).then(p=>hexValue(p))}),
result=yield this.perform("getStorageAt",params);try{return hexlify2(result)}catch(error){return logger30.throwError("ba\
d result from backend",Logger.errors.SERVER_ERROR,{method:"getStorageAt",params,result,error})}})}_wrapTransaction(tx,hash,startBlock){
if(hash!=null&&hexDataLength(hash)!==32)throw new Error("invalid response - sendTransaction");let result=tx;return hash!=
null&&tx.hash!==hash&&logger30.throwError("Transaction hash mismatch from Provider.sendTransaction.",Logger.errors.UNKNOWN_ERROR,
{expectedHash:tx.hash,returnedHash:hash}),result.wait=(confirms,timeout)=>__awaiter10(this,void 0,void 0,function*(){confirms==
null&&(confirms=1),timeout==null&&(timeout=0);let replacement;confirms!==0&&startBlock!=null&&(replacement={data:tx.data,
from:tx.from,nonce:tx.nonce,to:tx.to,value:tx.value,startBlock});let receipt=yield this._waitForTransaction(tx.hash,confirms,
timeout,replacement);return receipt==null&&confirms===0?null:(this._emitted["t:"+tx.hash]=receipt.blockNumber,receipt.status===
0&&logger30.throwError("transaction failed",Logger.errors.CALL_EXCEPTION,{transactionHash:tx.hash,transaction:tx,receipt}),
receipt)}),result}sendTransaction(signedTransaction){return __awaiter10(this,void 0,void 0,function*(){yield this.getNetwork();
let hexTx=yield Promise.resolve(signedTransaction).then(t=>hexlify2(t)),tx=this.formatter.transaction(signedTransaction);
tx.confirmations==null&&(tx.confirmations=0);let blockNumber=yield this._getInternalBlockNumber(100+2*this.pollingInterval);
try{let hash=yield this.perform("sendTransaction",{signedTransaction:hexTx});return this._wrapTransaction(tx,hash,blockNumber)}catch(error){
throw error.transaction=tx,error.transactionHash=tx.hash,error}})}_getTransactionRequest(transaction){return __awaiter10(
this,void 0,void 0,function*(){let values=yield transaction,tx={};return["from","to"].forEach(key=>{values[key]!=null&&(tx[key]=
Promise.resolve(values[key]).then(v=>v?this._getAddress(v):null))}),["gasLimit","gasPrice","maxFeePerGas","maxPriorityFe\
ePerGas","value"].forEach(key=>{values[key]!=null&&(tx[key]=Promise.resolve(values[key]).then(v=>v?BigNumber.from(v):null))}),
["type"].forEach(key=>{values[key]!=null&&(tx[key]=Promise.resolve(values[key]).then(v=>v??null))}),values.accessList&&(tx.
accessList=this.formatter.accessList(values.accessList)),["data"].forEach(key=>{values[key]!=null&&(tx[key]=Promise.resolve(
values[key]).then(v=>v?hexlify2(v):null))}),this.formatter.transactionRequest(yield resolveProperties(tx))})}_getFilter(filter){
return __awaiter10(this,void 0,void 0,function*(){filter=yield filter;let result={};return filter.address!=null&&(result.
address=this._getAddress(filter.address)),["blockHash","topics"].forEach(key=>{filter[key]!=null&&(result[key]=filter[key])}),
["fromBlock","toBlock"].forEach(key=>{filter[key]!=null&&(result[key]=this._getBlockTag(filter[key]))}),this.formatter.filter(
yield resolveProperties(result))})}_call(transaction,blockTag,attempt){return __awaiter10(this,void 0,void 0,function*(){
attempt>=MAX_CCIP_REDIRECTS&&logger30.throwError("CCIP read exceeded maximum redirections",Logger.errors.SERVER_ERROR,{redirects:attempt,
transaction});let txSender=transaction.to,result=yield this.perform("call",{transaction,blockTag});if(attempt>=0&&blockTag===
"latest"&&txSender!=null&&result.substring(0,10)==="0x556f1830"&&hexDataLength(result)%32===4)try{let data=hexDataSlice(
result,4),sender=hexDataSlice(data,0,32);BigNumber.from(sender).eq(txSender)||logger30.throwError("CCIP Read sender did \
not match",Logger.errors.CALL_EXCEPTION,{name:"OffchainLookup",signature:"OffchainLookup(address,string[],bytes,bytes4,b\
ytes)",transaction,data:result});let urls=[],urlsOffset=BigNumber.from(hexDataSlice(data,32,64)).toNumber(),urlsLength=BigNumber.
from(hexDataSlice(data,urlsOffset,urlsOffset+32)).toNumber(),urlsData=hexDataSlice(data,urlsOffset+32);for(let u=0;u<urlsLength;u++){
let url=_parseString(urlsData,u*32);url==null&&logger30.throwError("CCIP Read contained corrupt URL string",Logger.errors.
CALL_EXCEPTION,{name:"OffchainLookup",signature:"OffchainLookup(address,string[],bytes,bytes4,bytes)",transaction,data:result}),
urls.push(url)}let calldata=_parseBytes(data,64);BigNumber.from(hexDataSlice(data,100,128)).isZero()||logger30.throwError(
"CCIP Read callback selector included junk",Logger.errors.CALL_EXCEPTION,{name:"OffchainLookup",signature:"OffchainLooku\
p(address,string[],bytes,bytes4,bytes)",transaction,data:result});let callbackSelector=hexDataSlice(data,96,100),extraData=_parseBytes(
data,128),ccipResult=yield this.ccipReadFetch(transaction,calldata,urls);ccipResult==null&&logger30.throwError("CCIP Rea\
d disabled or provided no URLs",Logger.errors.CALL_EXCEPTION,{name:"OffchainLookup",signature:"OffchainLookup(address,st\
ring[],bytes,bytes4,bytes)",transaction,data:result});let tx={to:txSender,data:hexConcat([callbackSelector,encodeBytes([
ccipResult,extraData])])};return this._call(tx,blockTag,attempt+1)}catch(error){if(error.code===Logger.errors.SERVER_ERROR)
throw error}try{return hexlify2(result)}catch(error){return logger30.throwError("bad result from backend",Logger.errors.
SERVER_ERROR,{method:"call",params:{transaction,blockTag},result,error})}})}call(transaction,blockTag){return __awaiter10(
this,void 0,void 0,function*(){yield this.getNetwork();let resolved=yield resolveProperties({transaction:this._getTransactionRequest(
transaction),blockTag:this._getBlockTag(blockTag),ccipReadEnabled:Promise.resolve(transaction.ccipReadEnabled)});return this.
_call(resolved.transaction,resolved.blockTag,resolved.ccipReadEnabled?0:-1)})}estimateGas(transaction){return __awaiter10(
this,void 0,void 0,function*(){yield this.getNetwork();let params=yield resolveProperties({transaction:this._getTransactionRequest(
transaction)}),result=yield this.perform("estimateGas",params);try{return BigNumber.from(result)}catch(error){return logger30.
throwError("bad result from backend",Logger.errors.SERVER_ERROR,{method:"estimateGas",params,result,error})}})}_getAddress(addressOrName){
return __awaiter10(this,void 0,void 0,function*(){addressOrName=yield addressOrName,typeof addressOrName!="string"&&logger30.
throwArgumentError("invalid address or ENS name","name",addressOrName);let address=yield this.resolveName(addressOrName);
return address==null&&logger30.throwError("ENS name not configured",Logger.errors.UNSUPPORTED_OPERATION,{operation:`reso\
lveName(${JSON.stringify(addressOrName)})`}),address})}_getBlock(blockHashOrBlockTag,includeTransactions){return __awaiter10(
this,void 0,void 0,function*(){yield this.getNetwork(),blockHashOrBlockTag=yield blockHashOrBlockTag;let blockNumber=-128,
params={includeTransactions:!!includeTransactions};if(isHexString(blockHashOrBlockTag,32))params.blockHash=blockHashOrBlockTag;else
try{params.blockTag=yield this._getBlockTag(blockHashOrBlockTag),isHexString(params.blockTag)&&(blockNumber=parseInt(params.
blockTag.substring(2),16))}catch{logger30.throwArgumentError("invalid block hash or block tag","blockHashOrBlockTag",blockHashOrBlockTag)}
return poll(()=>__awaiter10(this,void 0,void 0,function*(){let block=yield this.perform("getBlock",params);if(block==null)
return params.blockHash!=null&&this._emitted["b:"+params.blockHash]==null||params.blockTag!=null&&blockNumber>this._emitted.
block?null:void 0;if(includeTransactions){let blockNumber2=null;for(let i=0;i<block.transactions.length;i++){let tx=block.
transactions[i];if(tx.blockNumber==null)tx.confirmations=0;else if(tx.confirmations==null){blockNumber2==null&&(blockNumber2=
yield this._getInternalBlockNumber(100+2*this.pollingInterval));let confirmations=blockNumber2-tx.blockNumber+1;confirmations<=
0&&(confirmations=1),tx.confirmations=confirmations}}let blockWithTxs=this.formatter.blockWithTransactions(block);return blockWithTxs.
transactions=blockWithTxs.transactions.map(tx=>this._wrapTransaction(tx)),blockWithTxs}return this.formatter.block(block)}),
{oncePoll:this})})}getBlock(blockHashOrBlockTag){return this._getBlock(blockHashOrBlockTag,!1)}getBlockWithTransactions(blockHashOrBlockTag){
return this._getBlock(blockHashOrBlockTag,!0)}getTransaction(transactionHash){return __awaiter10(this,void 0,void 0,function*(){
yield this.getNetwork(),transactionHash=yield transactionHash;let params={transactionHash:this.formatter.hash(transactionHash,
!0)};return poll(()=>__awaiter10(this,void 0,void 0,function*(){let result=yield this.perform("getTransaction",params);if(result==
null)return this._emitted["t:"+transactionHash]==null?null:void 0;let tx=this.formatter.transactionResponse(result);if(tx.
blockNumber==null)tx.confirmations=0;else if(tx.confirmations==null){let confirmations=(yield this._getInternalBlockNumber(
100+2*this.pollingInterval))-tx.blockNumber+1;confirmations<=0&&(confirmations=1),tx.confirmations=confirmations}return this.
_wrapTransaction(tx)}),{oncePoll:this})})}getTransactionReceipt(transactionHash){return __awaiter10(this,void 0,void 0,function*(){
yield this.getNetwork(),transactionHash=yield transactionHash;let params={transactionHash:this.formatter.hash(transactionHash,
!0)};return poll(()=>__awaiter10(this,void 0,void 0,function*(){let result=yield this.perform("getTransactionReceipt",params);
if(result==null)return this._emitted["t:"+transactionHash]==null?null:void 0;if(result.blockHash==null)return;let receipt=this.
formatter.receipt(result);if(receipt.blockNumber==null)receipt.confirmations=0;else if(receipt.confirmations==null){let confirmations=(yield this.
_getInternalBlockNumber(100+2*this.pollingInterval))-receipt.blockNumber+1;confirmations<=0&&(confirmations=1),receipt.confirmations=
confirmations}return receipt}),{oncePoll:this})})}getLogs(filter){return __awaiter10(this,void 0,void 0,function*(){yield this.
getNetwork();let params=yield resolveProperties({filter:this._getFilter(filter)}),logs=yield this.perform("getLogs",params);
return logs.forEach(log=>{log.removed==null&&(log.removed=!1)}),Formatter.arrayOf(this.formatter.filterLog.bind(this.formatter))(
logs)})}getEtherPrice(){return __awaiter10(this,void 0,void 0,function*(){return yield this.getNetwork(),this.perform("g\
etEtherPrice",{})})}_getBlockTag(blockTag){return __awaiter10(this,void 0,void 0,function*(){if(blockTag=yield blockTag,
typeof blockTag=="number"&&blockTag<0){blockTag%1&&logger30.throwArgumentError("invalid BlockTag","blockTag",blockTag);let blockNumber=yield this.
_getInternalBlockNumber(100+2*this.pollingInterval);return blockNumber+=blockTag,blockNumber<0&&(blockNumber=0),this.formatter.
blockTag(blockNumber)}return this.formatter.blockTag(blockTag)})}getResolver(name){return __awaiter10(this,void 0,void 0,
function*(){let currentName=name;for(;;){if(currentName===""||currentName==="."||name!=="eth"&&currentName==="eth")return null;
let addr=yield this._getResolver(currentName,"getResolver");if(addr!=null){let resolver=new Resolver(this,addr,name);return currentName!==
name&&!(yield resolver.supportsWildcard())?null:resolver}currentName=currentName.split(".").slice(1).join(".")}})}_getResolver(name,operation){
return __awaiter10(this,void 0,void 0,function*(){operation==null&&(operation="ENS");let network=yield this.getNetwork();
network.ensAddress||logger30.throwError("network does not support ENS",Logger.errors.UNSUPPORTED_OPERATION,{operation,network:network.
name});try{let addrData=yield this.call({to:network.ensAddress,data:"0x0178b8bf"+namehash2(name).substring(2)});return this.
formatter.callAddress(addrData)}catch{}return null})}resolveName(name){return __awaiter10(this,void 0,void 0,function*(){
name=yield name;try{return Promise.resolve(this.formatter.address(name))}catch(error){if(isHexString(name))throw error}typeof name!=
"string"&&logger30.throwArgumentError("invalid ENS name","name",name);let resolver=yield this.getResolver(name);return resolver?
yield resolver.getAddress():null})}lookupAddress(address){return __awaiter10(this,void 0,void 0,function*(){address=yield address,
address=this.formatter.address(address);let node=address.substring(2).toLowerCase()+".addr.reverse",resolverAddr=yield this.
_getResolver(node,"lookupAddress");if(resolverAddr==null)return null;let name=_parseString(yield this.call({to:resolverAddr,
data:"0x691f3431"+namehash2(node).substring(2)}),0);return(yield this.resolveName(name))!=address?null:name})}getAvatar(nameOrAddress){
return __awaiter10(this,void 0,void 0,function*(){let resolver=null;if(isHexString(nameOrAddress)){let node=this.formatter.
address(nameOrAddress).substring(2).toLowerCase()+".addr.reverse",resolverAddress=yield this._getResolver(node,"getAvata\
r");if(!resolverAddress)return null;resolver=new Resolver(this,resolverAddress,node);try{let avatar2=yield resolver.getAvatar();
if(avatar2)return avatar2.url}catch(error){if(error.code!==Logger.errors.CALL_EXCEPTION)throw error}try{let name=_parseString(
yield this.call({to:resolverAddress,data:"0x691f3431"+namehash2(node).substring(2)}),0);resolver=yield this.getResolver(
name)}catch(error){if(error.code!==Logger.errors.CALL_EXCEPTION)throw error;return null}}else if(resolver=yield this.getResolver(
nameOrAddress),!resolver)return null;let avatar=yield resolver.getAvatar();return avatar==null?null:avatar.url})}perform(method,params){
return logger30.throwError(method+" not implemented",Logger.errors.NOT_IMPLEMENTED,{operation:method})}_startEvent(event){
this.polling=this._events.filter(e=>e.pollable()).length>0}_stopEvent(event){this.polling=this._events.filter(e=>e.pollable()).
length>0}_addEventListener(eventName,listener,once2){let event=new Event(getEventTag2(eventName),listener,once2);return this.
_events.push(event),this._startEvent(event),this}on(eventName,listener){return this._addEventListener(eventName,listener,
!1)}once(eventName,listener){return this._addEventListener(eventName,listener,!0)}emit(eventName,...args){let result=!1,
stopped=[],eventTag=getEventTag2(eventName);return this._events=this._events.filter(event=>event.tag!==eventTag?!0:(setTimeout(
()=>{event.listener.apply(this,args)},0),result=!0,event.once?(stopped.push(event),!1):!0)),stopped.forEach(event=>{this.
_stopEvent(event)}),result}listenerCount(eventName){if(!eventName)return this._events.length;let eventTag=getEventTag2(eventName);
return this._events.filter(event=>event.tag===eventTag).length}listeners(eventName){if(eventName==null)return this._events.
map(event=>event.listener);let eventTag=getEventTag2(eventName);return this._events.filter(event=>event.tag===eventTag).
map(event=>event.listener)}off(eventName,listener){if(listener==null)return this.removeAllListeners(eventName);let stopped=[],
found=!1,eventTag=getEventTag2(eventName);return this._events=this._events.filter(event=>event.tag!==eventTag||event.listener!=
listener||found?!0:(found=!0,stopped.push(event),!1)),stopped.forEach(event=>{this._stopEvent(event)}),this}removeAllListeners(eventName){
let stopped=[];if(eventName==null)stopped=this._events,this._events=[];else{let eventTag=getEventTag2(eventName);this._events=
this._events.filter(event=>event.tag!==eventTag?!0:(stopped.push(event),!1))}return stopped.forEach(event=>{this._stopEvent(
event)}),this}};init_lib3();init_lib3();init_ethersproject_bytes();init_lib6();init_lib();var __awaiter11=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger31=new Logger(version22),errorGas=["call","estimateGas"];function spelunk(value,requireData){if(value==null)return null;
if(typeof value.message=="string"&&value.message.match("reverted")){let data=isHexString(value.data)?value.data:null;if(!requireData||
data)return{message:value.message,data}}if(typeof value=="object"){for(let key in value){let result=spelunk(value[key],requireData);
if(result)return result}return null}if(typeof value=="string")try{return spelunk(JSON.parse(value),requireData)}catch{}return null}
__name(spelunk,"spelunk");function checkError(method,error,params){let transaction=params.transaction||params.signedTransaction;
if(method==="call"){let result=spelunk(error,!0);if(result)return result.data;logger31.throwError("missing revert data i\
n call exception; Transaction reverted without a reason string",Logger.errors.CALL_EXCEPTION,{data:"0x",transaction,error})}
if(method==="estimateGas"){let result=spelunk(error.body,!1);result==null&&(result=spelunk(error,!1)),result&&logger31.throwError(
"cannot estimate gas; transaction may fail or may require manual gas limit",Logger.errors.UNPREDICTABLE_GAS_LIMIT,{reason:result.
message,method,transaction,error})}let message=error.message;throw error.code===Logger.errors.SERVER_ERROR&&error.error&&
typeof error.error.message=="string"?message=error.error.message:typeof error.body=="string"?message=error.body:typeof error.
responseText=="string"&&(message=error.responseText),message=(message||"").toLowerCase(),message.match(/insufficient funds|base fee exceeds gas limit|InsufficientFunds/i)&&
logger31.throwError("insufficient funds for intrinsic transaction cost",Logger.errors.INSUFFICIENT_FUNDS,{error,method,transaction}),
message.match(/nonce (is )?too low/i)&&logger31.throwError("nonce has already been used",Logger.errors.NONCE_EXPIRED,{error,
method,transaction}),message.match(/replacement transaction underpriced|transaction gas price.*too low/i)&&logger31.throwError(
"replacement fee too low",Logger.errors.REPLACEMENT_UNDERPRICED,{error,method,transaction}),message.match(/only replay-protected/i)&&
logger31.throwError("legacy pre-eip-155 transactions not supported",Logger.errors.UNSUPPORTED_OPERATION,{error,method,transaction}),
errorGas.indexOf(method)>=0&&message.match(/gas required exceeds allowance|always failing transaction|execution reverted|revert/)&&
logger31.throwError("cannot estimate gas; transaction may fail or may require manual gas limit",Logger.errors.UNPREDICTABLE_GAS_LIMIT,
{error,method,transaction}),error}__name(checkError,"checkError");function timer(timeout){return new Promise(function(resolve){
setTimeout(resolve,timeout)})}__name(timer,"timer");function getResult(payload){if(payload.error){let error=new Error(payload.
error.message);throw error.code=payload.error.code,error.data=payload.error.data,error}return payload.result}__name(getResult,
"getResult");function getLowerCase(value){return value&&value.toLowerCase()}__name(getLowerCase,"getLowerCase");var _constructorGuard5={},
JsonRpcSigner=class extends Signer{static{__name(this,"JsonRpcSigner")}constructor(constructorGuard,provider,addressOrIndex){
if(super(),constructorGuard!==_constructorGuard5)throw new Error("do not call the JsonRpcSigner constructor directly; us\
e provider.getSigner");defineReadOnly(this,"provider",provider),addressOrIndex==null&&(addressOrIndex=0),typeof addressOrIndex==
"string"?(defineReadOnly(this,"_address",this.provider.formatter.address(addressOrIndex)),defineReadOnly(this,"_index",null)):
typeof addressOrIndex=="number"?(defineReadOnly(this,"_index",addressOrIndex),defineReadOnly(this,"_address",null)):logger31.
throwArgumentError("invalid address or index","addressOrIndex",addressOrIndex)}connect(provider){return logger31.throwError(
"cannot alter JSON-RPC Signer connection",Logger.errors.UNSUPPORTED_OPERATION,{operation:"connect"})}connectUnchecked(){
return new UncheckedJsonRpcSigner(_constructorGuard5,this.provider,this._address||this._index)}getAddress(){return this.
_address?Promise.resolve(this._address):this.provider.send("eth_accounts",[]).then(accounts=>(accounts.length<=this._index&&
logger31.throwError("unknown account #"+this._index,Logger.errors.UNSUPPORTED_OPERATION,{operation:"getAddress"}),this.provider.
formatter.address(accounts[this._index])))}sendUncheckedTransaction(transaction){transaction=shallowCopy(transaction);let fromAddress=this.
getAddress().then(address=>(address&&(address=address.toLowerCase()),address));if(transaction.gasLimit==null){let estimate=shallowCopy(
transaction);estimate.from=fromAddress,transaction.gasLimit=this.provider.estimateGas(estimate)}return transaction.to!=null&&
(transaction.to=Promise.resolve(transaction.to).then(to=>__awaiter11(this,void 0,void 0,function*(){if(to==null)return null;
let address=yield this.provider.resolveName(to);return address==null&&logger31.throwArgumentError("provided ENS name res\
olves to null","tx.to",to),address}))),resolveProperties({tx:resolveProperties(transaction),sender:fromAddress}).then(({
tx,sender})=>{tx.from!=null?tx.from.toLowerCase()!==sender&&logger31.throwArgumentError("from address mismatch","transac\
tion",transaction):tx.from=sender;let hexTx=this.provider.constructor.hexlifyTransaction(tx,{from:!0});return this.provider.
send("eth_sendTransaction",[hexTx]).then(hash=>hash,error=>(typeof error.message=="string"&&error.message.match(/user denied/i)&&
logger31.throwError("user rejected transaction",Logger.errors.ACTION_REJECTED,{action:"sendTransaction",transaction:tx}),
checkError("sendTransaction",error,hexTx)))})}signTransaction(transaction){return logger31.throwError("signing transacti\
ons is unsupported",Logger.errors.UNSUPPORTED_OPERATION,{operation:"signTransaction"})}sendTransaction(transaction){return __awaiter11(
this,void 0,void 0,function*(){let blockNumber=yield this.provider._getInternalBlockNumber(100+2*this.provider.pollingInterval),
hash=yield this.sendUncheckedTransaction(transaction);try{return yield poll(()=>__awaiter11(this,void 0,void 0,function*(){
let tx=yield this.provider.getTransaction(hash);if(tx!==null)return this.provider._wrapTransaction(tx,hash,blockNumber)}),
{oncePoll:this.provider})}catch(error){throw error.transactionHash=hash,error}})}signMessage(message){return __awaiter11(
this,void 0,void 0,function*(){let data=typeof message=="string"?toUtf8Bytes(message):message,address=yield this.getAddress();
try{return yield this.provider.send("personal_sign",[hexlify2(data),address.toLowerCase()])}catch(error){throw typeof error.
message=="string"&&error.message.match(/user denied/i)&&logger31.throwError("user rejected signing",Logger.errors.ACTION_REJECTED,
{action:"signMessage",from:address,messageData:message}),error}})}_legacySignMessage(message){return __awaiter11(this,void 0,
void 0,function*(){let data=typeof message=="string"?toUtf8Bytes(message):message,address=yield this.getAddress();try{return yield this.
provider.send("eth_sign",[address.toLowerCase(),hexlify2(data)])}catch(error){throw typeof error.message=="string"&&error.
message.match(/user denied/i)&&logger31.throwError("user rejected signing",Logger.errors.ACTION_REJECTED,{action:"_legac\
ySignMessage",from:address,messageData:message}),error}})}_signTypedData(domain,types,value){return __awaiter11(this,void 0,
void 0,function*(){let populated=yield TypedDataEncoder.resolveNames(domain,types,value,name=>this.provider.resolveName(
name)),address=yield this.getAddress();try{return yield this.provider.send("eth_signTypedData_v4",[address.toLowerCase(),
JSON.stringify(TypedDataEncoder.getPayload(populated.domain,types,populated.value))])}catch(error){throw typeof error.message==
"string"&&error.message.match(/user denied/i)&&logger31.throwError("user rejected signing",Logger.errors.ACTION_REJECTED,
{action:"_signTypedData",from:address,messageData:{domain:populated.domain,types,value:populated.value}}),error}})}unlock(password){
return __awaiter11(this,void 0,void 0,function*(){let provider=this.provider,address=yield this.getAddress();return provider.
send("personal_unlockAccount",[address.toLowerCase(),password,null])})}},UncheckedJsonRpcSigner=class extends JsonRpcSigner{static{
__name(this,"UncheckedJsonRpcSigner")}sendTransaction(transaction){return this.sendUncheckedTransaction(transaction).then(
hash=>({hash,nonce:null,gasLimit:null,gasPrice:null,data:null,value:null,chainId:null,confirmations:0,from:null,wait:__name(
confirmations=>this.provider.waitForTransaction(hash,confirmations),"wait")}))}},allowedTransactionKeys4={chainId:!0,data:!0,
gasLimit:!0,gasPrice:!0,nonce:!0,to:!0,value:!0,type:!0,accessList:!0,maxFeePerGas:!0,maxPriorityFeePerGas:!0},JsonRpcProvider=class extends BaseProvider{static{
__name(this,"JsonRpcProvider")}constructor(url,network){let networkOrReady=network;networkOrReady==null&&(networkOrReady=
new Promise((resolve,reject)=>{setTimeout(()=>{this.detectNetwork().then(network2=>{resolve(network2)},error=>{reject(error)})},
0)})),super(networkOrReady),url||(url=getStatic(this.constructor,"defaultUrl")()),typeof url=="string"?defineReadOnly(this,
"connection",Object.freeze({url})):defineReadOnly(this,"connection",Object.freeze(shallowCopy(url))),this._nextId=42}get _cache(){
return this._eventLoopCache==null&&(this._eventLoopCache={}),this._eventLoopCache}static defaultUrl(){return"http://loca\
lhost:8545"}detectNetwork(){return this._cache.detectNetwork||(this._cache.detectNetwork=this._uncachedDetectNetwork(),setTimeout(
()=>{this._cache.detectNetwork=null},0)),this._cache.detectNetwork}_uncachedDetectNetwork(){return __awaiter11(this,void 0,
void 0,function*(){yield timer(0);let chainId=null;try{chainId=yield this.send("eth_chainId",[])}catch{try{chainId=yield this.
send("net_version",[])}catch{}}if(chainId!=null){let getNetwork2=getStatic(this.constructor,"getNetwork");try{return getNetwork2(
BigNumber.from(chainId).toNumber())}catch(error){return logger31.throwError("could not detect network",Logger.errors.NETWORK_ERROR,
{chainId,event:"invalidNetwork",serverError:error})}}return logger31.throwError("could not detect network",Logger.errors.
NETWORK_ERROR,{event:"noNetwork"})})}getSigner(addressOrIndex){return new JsonRpcSigner(_constructorGuard5,this,addressOrIndex)}getUncheckedSigner(addressOrIndex){
return this.getSigner(addressOrIndex).connectUnchecked()}listAccounts(){return this.send("eth_accounts",[]).then(accounts=>accounts.
map(a=>this.formatter.address(a)))}send(method,params){let request={method,params,id:this._nextId++,jsonrpc:"2.0"};this.
emit("debug",{action:"request",request:deepCopy(request),provider:this});let cache=["eth_chainId","eth_blockNumber"].indexOf(
method)>=0;if(cache&&this._cache[method])return this._cache[method];let result=fetchJson(this.connection,JSON.stringify(
request),getResult).then(result2=>(this.emit("debug",{action:"response",request,response:result2,provider:this}),result2),
error=>{throw this.emit("debug",{action:"response",error,request,provider:this}),error});return cache&&(this._cache[method]=
result,setTimeout(()=>{this._cache[method]=null},0)),result}prepareRequest(method,params){switch(method){case"getBlockNu\
mber":return["eth_blockNumber",[]];case"getGasPrice":return["eth_gasPrice",[]];case"getBalance":return["eth_getBalance",
[getLowerCase(params.address),params.blockTag]];case"getTransactionCount":return["eth_getTransactionCount",[getLowerCase(
params.address),params.blockTag]];case"getCode":return["eth_getCode",[getLowerCase(params.address),params.blockTag]];case"\
getStorageAt":return["eth_getStorageAt",[getLowerCase(params.address),hexZeroPad(params.position,32),params.blockTag]];case"\
sendTransaction":return["eth_sendRawTransaction",[params.signedTransaction]];case"getBlock":return params.blockTag?["eth\
_getBlockByNumber",[params.blockTag,!!params.includeTransactions]]:params.blockHash?["eth_getBlockByHash",[params.blockHash,
!!params.includeTransactions]]:null;case"getTransaction":return["eth_getTransactionByHash",[params.transactionHash]];case"\
getTransactionReceipt":return["eth_getTransactionReceipt",[params.transactionHash]];case"call":return["eth_call",[getStatic(
this.constructor,"hexlifyTransaction")(params.transaction,{from:!0}),params.blockTag]];case"estimateGas":return["eth_est\
imateGas",[getStatic(this.constructor,"hexlifyTransaction")(params.transaction,{from:!0})]];case"getLogs":return params.
filter&&params.filter.address!=null&&(params.filter.address=getLowerCase(params.filter.address)),["eth_getLogs",[params.
filter]];default:break}return null}perform(method,params){return __awaiter11(this,void 0,void 0,function*(){if(method===
"call"||method==="estimateGas"){let tx=params.transaction;if(tx&&tx.type!=null&&BigNumber.from(tx.type).isZero()&&tx.maxFeePerGas==
null&&tx.maxPriorityFeePerGas==null){let feeData=yield this.getFeeData();feeData.maxFeePerGas==null&&feeData.maxPriorityFeePerGas==
null&&(params=shallowCopy(params),params.transaction=shallowCopy(tx),delete params.transaction.type)}}let args=this.prepareRequest(
method,params);args==null&&logger31.throwError(method+" not implemented",Logger.errors.NOT_IMPLEMENTED,{operation:method});
try{return yield this.send(args[0],args[1])}catch(error){return checkError(method,error,params)}})}_startEvent(event){event.
tag==="pending"&&this._startPending(),super._startEvent(event)}_startPending(){if(this._pendingFilter!=null)return;let self2=this,
pendingFilter=this.send("eth_newPendingTransactionFilter",[]);this._pendingFilter=pendingFilter,pendingFilter.then(function(filterId){
function poll2(){self2.send("eth_getFilterChanges",[filterId]).then(function(hashes){if(self2._pendingFilter!=pendingFilter)
return null;let seq=Promise.resolve();return hashes.forEach(function(hash){self2._emitted["t:"+hash.toLowerCase()]="pend\
ing",seq=seq.then(function(){return self2.getTransaction(hash).then(function(tx){return self2.emit("pending",tx),null})})}),
seq.then(function(){return timer(1e3)})}).then(function(){if(self2._pendingFilter!=pendingFilter){self2.send("eth_uninst\
allFilter",[filterId]);return}return setTimeout(function(){poll2()},0),null}).catch(error=>{})}return __name(poll2,"poll"),
poll2(),filterId}).catch(error=>{})}_stopEvent(event){event.tag==="pending"&&this.listenerCount("pending")===0&&(this._pendingFilter=
null),super._stopEvent(event)}static hexlifyTransaction(transaction,allowExtra){let allowed=shallowCopy(allowedTransactionKeys4);
if(allowExtra)for(let key in allowExtra)allowExtra[key]&&(allowed[key]=!0);checkProperties(transaction,allowed);let result={};
return["chainId","gasLimit","gasPrice","type","maxFeePerGas","maxPriorityFeePerGas","nonce","value"].forEach(function(key){
if(transaction[key]==null)return;let value=hexValue(BigNumber.from(transaction[key]));key==="gasLimit"&&(key="gas"),result[key]=
value}),["from","to","data"].forEach(function(key){transaction[key]!=null&&(result[key]=hexlify2(transaction[key]))}),transaction.
accessList&&(result.accessList=accessListify(transaction.accessList)),result}};init_lib();var WS=null;try{if(WS=WebSocket,WS==null)throw new Error("inject please")}catch{let logger47=new Logger(version22);WS=__name(
function(){logger47.throwError("WebSockets not supported in this environment",Logger.errors.UNSUPPORTED_OPERATION,{operation:"\
new WebSocket()"})},"WS")}init_lib();var __awaiter12=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger32=new Logger(version22),NextId=1,WebSocketProvider=class extends JsonRpcProvider{static{__name(this,"WebSocketPro\
vider")}constructor(url,network){network==="any"&&logger32.throwError("WebSocketProvider does not support 'any' network \
yet",Logger.errors.UNSUPPORTED_OPERATION,{operation:"network:any"}),typeof url=="string"?super(url,network):super("_webs\
ocket",network),this._pollingInterval=-1,this._wsReady=!1,typeof url=="string"?defineReadOnly(this,"_websocket",new WS(this.
connection.url)):defineReadOnly(this,"_websocket",url),defineReadOnly(this,"_requests",{}),defineReadOnly(this,"_subs",{}),
defineReadOnly(this,"_subIds",{}),defineReadOnly(this,"_detectNetwork",super.detectNetwork()),this.websocket.onopen=()=>{
this._wsReady=!0,Object.keys(this._requests).forEach(id2=>{this.websocket.send(this._requests[id2].payload)})},this.websocket.
onmessage=messageEvent=>{let data=messageEvent.data,result=JSON.parse(data);if(result.id!=null){let id2=String(result.id),
request=this._requests[id2];if(delete this._requests[id2],result.result!==void 0)request.callback(null,result.result),this.
emit("debug",{action:"response",request:JSON.parse(request.payload),response:result.result,provider:this});else{let error=null;
result.error?(error=new Error(result.error.message||"unknown error"),defineReadOnly(error,"code",result.error.code||null),
defineReadOnly(error,"response",data)):error=new Error("unknown error"),request.callback(error,void 0),this.emit("debug",
{action:"response",error,request:JSON.parse(request.payload),provider:this})}}else if(result.method==="eth_subscription"){
let sub=this._subs[result.params.subscription];sub&&sub.processFunc(result.params.result)}else console.warn("this should\
 not happen")};let fauxPoll=setInterval(()=>{this.emit("poll")},1e3);fauxPoll.unref&&fauxPoll.unref()}get websocket(){return this.
_websocket}detectNetwork(){return this._detectNetwork}get pollingInterval(){return 0}resetEventsBlock(blockNumber){logger32.
throwError("cannot reset events block on WebSocketProvider",Logger.errors.UNSUPPORTED_OPERATION,{operation:"resetEventBl\
ock"})}set pollingInterval(value){logger32.throwError("cannot set polling interval on WebSocketProvider",Logger.errors.UNSUPPORTED_OPERATION,
{operation:"setPollingInterval"})}poll(){return __awaiter12(this,void 0,void 0,function*(){return null})}set polling(value){
value&&logger32.throwError("cannot set polling on WebSocketProvider",Logger.errors.UNSUPPORTED_OPERATION,{operation:"set\
Polling"})}send(method,params){let rid=NextId++;return new Promise((resolve,reject)=>{function callback(error,result){return error?
reject(error):resolve(result)}__name(callback,"callback");let payload=JSON.stringify({method,params,id:rid,jsonrpc:"2.0"});
this.emit("debug",{action:"request",request:JSON.parse(payload),provider:this}),this._requests[String(rid)]={callback,payload},
this._wsReady&&this.websocket.send(payload)})}static defaultUrl(){return"ws://localhost:8546"}_subscribe(tag,param,processFunc){
return __awaiter12(this,void 0,void 0,function*(){let subIdPromise=this._subIds[tag];subIdPromise==null&&(subIdPromise=Promise.
all(param).then(param2=>this.send("eth_subscribe",param2)),this._subIds[tag]=subIdPromise);let subId=yield subIdPromise;
this._subs[subId]={tag,processFunc}})}_startEvent(event){switch(event.type){case"block":this._subscribe("block",["newHea\
ds"],result=>{let blockNumber=BigNumber.from(result.number).toNumber();this._emitted.block=blockNumber,this.emit("block",
blockNumber)});break;case"pending":this._subscribe("pending",["newPendingTransactions"],result=>{this.emit("pending",result)});
break;case"filter":this._subscribe(event.tag,["logs",this._getFilter(event.filter)],result=>{result.removed==null&&(result.
removed=!1),this.emit(event.filter,this.formatter.filterLog(result))});break;case"tx":{let emitReceipt=__name(event2=>{let hash=event2.
hash;this.getTransactionReceipt(hash).then(receipt=>{receipt&&this.emit(hash,receipt)})},"emitReceipt");emitReceipt(event),
this._subscribe("tx",["newHeads"],result=>{this._events.filter(e=>e.type==="tx").forEach(emitReceipt)});break}case"debug":case"\
poll":case"willPoll":case"didPoll":case"error":break;default:console.log("unhandled:",event);break}}_stopEvent(event){let tag=event.
tag;if(event.type==="tx"){if(this._events.filter(e=>e.type==="tx").length)return;tag="tx"}else if(this.listenerCount(event.
event))return;let subId=this._subIds[tag];subId&&(delete this._subIds[tag],subId.then(subId2=>{this._subs[subId2]&&(delete this.
_subs[subId2],this.send("eth_unsubscribe",[subId2]))}))}destroy(){return __awaiter12(this,void 0,void 0,function*(){this.
websocket.readyState===WS.CONNECTING&&(yield new Promise(resolve=>{this.websocket.onopen=function(){resolve(!0)},this.websocket.
onerror=function(){resolve(!1)}})),this.websocket.close(1e3)})}};init_lib();init_lib();var __awaiter13=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger33=new Logger(version22),StaticJsonRpcProvider=class extends JsonRpcProvider{static{__name(this,"StaticJsonRpcProv\
ider")}detectNetwork(){let _super=Object.create(null,{detectNetwork:{get:__name(()=>super.detectNetwork,"get")}});return __awaiter13(
this,void 0,void 0,function*(){let network=this.network;return network==null&&(network=yield _super.detectNetwork.call(this),
network||logger33.throwError("no network detected",Logger.errors.UNKNOWN_ERROR,{}),this._network==null&&(defineReadOnly(
this,"_network",network),this.emit("network",network,null))),network})}},UrlJsonRpcProvider=class _UrlJsonRpcProvider extends StaticJsonRpcProvider{static{
__name(this,"UrlJsonRpcProvider")}constructor(network,apiKey){logger33.checkAbstract(new.target,_UrlJsonRpcProvider),network=
getStatic(new.target,"getNetwork")(network),apiKey=getStatic(new.target,"getApiKey")(apiKey);let connection=getStatic(new.target,
"getUrl")(network,apiKey);super(connection,network),typeof apiKey=="string"?defineReadOnly(this,"apiKey",apiKey):apiKey!=
null&&Object.keys(apiKey).forEach(key=>{defineReadOnly(this,key,apiKey[key])})}_startPending(){logger33.warn("WARNING: A\
PI provider does not support pending filters")}isCommunityResource(){return!1}getSigner(address){return logger33.throwError(
"API provider does not support signing",Logger.errors.UNSUPPORTED_OPERATION,{operation:"getSigner"})}listAccounts(){return Promise.
resolve([])}static getApiKey(apiKey){return apiKey}static getUrl(network,apiKey){return logger33.throwError("not impleme\
nted; sub-classes must override getUrl",Logger.errors.NOT_IMPLEMENTED,{operation:"getUrl"})}};var logger34=new Logger(version22),defaultApiKey="_gg7wSSi0KMBsdKnGVfHDueq6xMB9EkC",AlchemyWebSocketProvider=class extends WebSocketProvider{static{
__name(this,"AlchemyWebSocketProvider")}constructor(network,apiKey){let provider=new AlchemyProvider(network,apiKey),url=provider.
connection.url.replace(/^http/i,"ws").replace(".alchemyapi.",".ws.alchemyapi.");super(url,provider.network),defineReadOnly(
this,"apiKey",provider.apiKey)}isCommunityResource(){return this.apiKey===defaultApiKey}},AlchemyProvider=class extends UrlJsonRpcProvider{static{
__name(this,"AlchemyProvider")}static getWebSocketProvider(network,apiKey){return new AlchemyWebSocketProvider(network,apiKey)}static getApiKey(apiKey){
return apiKey==null?defaultApiKey:(apiKey&&typeof apiKey!="string"&&logger34.throwArgumentError("invalid apiKey","apiKey",
apiKey),apiKey)}static getUrl(network,apiKey){let host=null;switch(network.name){case"homestead":host="eth-mainnet.alche\
myapi.io/v2/";break;case"goerli":host="eth-goerli.g.alchemy.com/v2/";break;case"matic":host="polygon-mainnet.g.alchemy.c\
om/v2/";break;case"maticmum":host="polygon-mumbai.g.alchemy.com/v2/";break;case"arbitrum":host="arb-mainnet.g.alchemy.co\
m/v2/";break;case"arbitrum-goerli":host="arb-goerli.g.alchemy.com/v2/";break;case"optimism":host="opt-mainnet.g.alchemy.\
com/v2/";break;case"optimism-goerli":host="opt-goerli.g.alchemy.com/v2/";break;default:logger34.throwArgumentError("unsu\
pported network","network",arguments[0])}return{allowGzip:!0,url:"https://"+host+apiKey,throttleCallback:__name((attempt,url)=>(apiKey===
defaultApiKey&&showThrottleMessage(),Promise.resolve(!0)),"throttleCallback")}}isCommunityResource(){return this.apiKey===
defaultApiKey}};init_lib();var logger35=new Logger(version22),defaultApiKey2="9f7d929b018cdffb338517efa06f58359e86ff1ffd350bc889738523659e7972";function getHost(name){
switch(name){case"homestead":return"rpc.ankr.com/eth/";case"ropsten":return"rpc.ankr.com/eth_ropsten/";case"rinkeby":return"\
rpc.ankr.com/eth_rinkeby/";case"goerli":return"rpc.ankr.com/eth_goerli/";case"matic":return"rpc.ankr.com/polygon/";case"\
arbitrum":return"rpc.ankr.com/arbitrum/"}return logger35.throwArgumentError("unsupported network","name",name)}__name(getHost,
"getHost");var AnkrProvider=class extends UrlJsonRpcProvider{static{__name(this,"AnkrProvider")}isCommunityResource(){return this.
apiKey===defaultApiKey2}static getApiKey(apiKey){return apiKey??defaultApiKey2}static getUrl(network,apiKey){apiKey==null&&
(apiKey=defaultApiKey2);let connection={allowGzip:!0,url:"https://"+getHost(network.name)+apiKey,throttleCallback:__name(
(attempt,url)=>(apiKey.apiKey===defaultApiKey2&&showThrottleMessage(),Promise.resolve(!0)),"throttleCallback")};return apiKey.
projectSecret!=null&&(connection.user="",connection.password=apiKey.projectSecret),connection}};init_lib();var __awaiter14=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger36=new Logger(version22),CloudflareProvider=class extends UrlJsonRpcProvider{static{__name(this,"CloudflareProvide\
r")}static getApiKey(apiKey){return apiKey!=null&&logger36.throwArgumentError("apiKey not supported for cloudflare","api\
Key",apiKey),null}static getUrl(network,apiKey){let host=null;return network.name==="homestead"?host="https://cloudflare\
-eth.com/":logger36.throwArgumentError("unsupported network","network",arguments[0]),host}perform(method,params){let _super=Object.
create(null,{perform:{get:__name(()=>super.perform,"get")}});return __awaiter14(this,void 0,void 0,function*(){return method===
"getBlockNumber"?(yield _super.perform.call(this,"getBlock",{blockTag:"latest"})).number:_super.perform.call(this,method,
params)})}};init_ethersproject_bytes();init_lib();var __awaiter15=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger37=new Logger(version22);function getTransactionPostData(transaction){let result={};for(let key in transaction){if(transaction[key]==
null)continue;let value=transaction[key];key==="type"&&value===0||({type:!0,gasLimit:!0,gasPrice:!0,maxFeePerGs:!0,maxPriorityFeePerGas:!0,
nonce:!0,value:!0}[key]?value=hexValue(hexlify2(value)):key==="accessList"?value="["+accessListify(value).map(set=>`{add\
ress:"${set.address}",storageKeys:["${set.storageKeys.join('","')}"]}`).join(",")+"]":value=hexlify2(value),result[key]=
value)}return result}__name(getTransactionPostData,"getTransactionPostData");function getResult2(result){if(result.status==
0&&(result.message==="No records found"||result.message==="No transactions found"))return result.result;if(result.status!=
1||typeof result.message!="string"||!result.message.match(/^OK/)){let error=new Error("invalid response");throw error.result=
JSON.stringify(result),(result.result||"").toLowerCase().indexOf("rate limit")>=0&&(error.throttleRetry=!0),error}return result.
result}__name(getResult2,"getResult");function getJsonResult(result){if(result&&result.status==0&&result.message=="NOTOK"&&
(result.result||"").toLowerCase().indexOf("rate limit")>=0){let error=new Error("throttled response");throw error.result=
JSON.stringify(result),error.throttleRetry=!0,error}if(result.jsonrpc!="2.0"){let error=new Error("invalid response");throw error.
result=JSON.stringify(result),error}if(result.error){let error=new Error(result.error.message||"unknown error");throw result.
error.code&&(error.code=result.error.code),result.error.data&&(error.data=result.error.data),error}return result.result}
__name(getJsonResult,"getJsonResult");function checkLogTag(blockTag){if(blockTag==="pending")throw new Error("pending no\
t supported");return blockTag==="latest"?blockTag:parseInt(blockTag.substring(2),16)}__name(checkLogTag,"checkLogTag");function checkError2(method,error,transaction){
if(method==="call"&&error.code===Logger.errors.SERVER_ERROR){let e=error.error;if(e&&(e.message.match(/reverted/i)||e.message.
match(/VM execution error/i))){let data=e.data;if(data&&(data="0x"+data.replace(/^.*0x/i,"")),isHexString(data))return data;
logger37.throwError("missing revert data in call exception",Logger.errors.CALL_EXCEPTION,{error,data:"0x"})}}let message=error.
message;throw error.code===Logger.errors.SERVER_ERROR&&(error.error&&typeof error.error.message=="string"?message=error.
error.message:typeof error.body=="string"?message=error.body:typeof error.responseText=="string"&&(message=error.responseText)),
message=(message||"").toLowerCase(),message.match(/insufficient funds/)&&logger37.throwError("insufficient funds for int\
rinsic transaction cost",Logger.errors.INSUFFICIENT_FUNDS,{error,method,transaction}),message.match(/same hash was already imported|transaction nonce is too low|nonce too low/)&&
logger37.throwError("nonce has already been used",Logger.errors.NONCE_EXPIRED,{error,method,transaction}),message.match(
/another transaction with same nonce/)&&logger37.throwError("replacement fee too low",Logger.errors.REPLACEMENT_UNDERPRICED,
{error,method,transaction}),message.match(/execution failed due to an exception|execution reverted/)&&logger37.throwError(
"cannot estimate gas; transaction may fail or may require manual gas limit",Logger.errors.UNPREDICTABLE_GAS_LIMIT,{error,
method,transaction}),error}__name(checkError2,"checkError");var EtherscanProvider=class extends BaseProvider{static{__name(
this,"EtherscanProvider")}constructor(network,apiKey){super(network),defineReadOnly(this,"baseUrl",this.getBaseUrl()),defineReadOnly(
this,"apiKey",apiKey||null)}getBaseUrl(){switch(this.network?this.network.name:"invalid"){case"homestead":return"https:/\
/api.etherscan.io";case"goerli":return"https://api-goerli.etherscan.io";case"sepolia":return"https://api-sepolia.ethersc\
an.io";case"matic":return"https://api.polygonscan.com";case"maticmum":return"https://api-testnet.polygonscan.com";case"a\
rbitrum":return"https://api.arbiscan.io";case"arbitrum-goerli":return"https://api-goerli.arbiscan.io";case"optimism":return"\
https://api-optimistic.etherscan.io";case"optimism-goerli":return"https://api-goerli-optimistic.etherscan.io";default:}return logger37.
throwArgumentError("unsupported network","network",this.network.name)}getUrl(module,params){let query=Object.keys(params).
reduce((accum,key)=>{let value=params[key];return value!=null&&(accum+=`&${key}=${value}`),accum},""),apiKey=this.apiKey?
`&apikey=${this.apiKey}`:"";return`${this.baseUrl}/api?module=${module}${query}${apiKey}`}getPostUrl(){return`${this.baseUrl}\
/api`}getPostData(module,params){return params.module=module,params.apikey=this.apiKey,params}fetch(module,params,post){
return __awaiter15(this,void 0,void 0,function*(){let url=post?this.getPostUrl():this.getUrl(module,params),payload=post?
this.getPostData(module,params):null,procFunc=module==="proxy"?getJsonResult:getResult2;this.emit("debug",{action:"reque\
st",request:url,provider:this});let connection={url,throttleSlotInterval:1e3,throttleCallback:__name((attempt,url2)=>(this.
isCommunityResource()&&showThrottleMessage(),Promise.resolve(!0)),"throttleCallback")},payloadStr=null;payload&&(connection.
headers={"content-type":"application/x-www-form-urlencoded; charset=UTF-8"},payloadStr=Object.keys(payload).map(key=>`${key}\
=${payload[key]}`).join("&"));let result=yield fetchJson(connection,payloadStr,procFunc||getJsonResult);return this.emit(
"debug",{action:"response",request:url,response:deepCopy(result),provider:this}),result})}detectNetwork(){return __awaiter15(
this,void 0,void 0,function*(){return this.network})}perform(method,params){let _super=Object.create(null,{perform:{get:__name(
()=>super.perform,"get")}});return __awaiter15(this,void 0,void 0,function*(){switch(method){case"getBlockNumber":return this.
fetch("proxy",{action:"eth_blockNumber"});case"getGasPrice":return this.fetch("proxy",{action:"eth_gasPrice"});case"getB\
alance":return this.fetch("account",{action:"balance",address:params.address,tag:params.blockTag});case"getTransactionCo\
unt":return this.fetch("proxy",{action:"eth_getTransactionCount",address:params.address,tag:params.blockTag});case"getCo\
de":return this.fetch("proxy",{action:"eth_getCode",address:params.address,tag:params.blockTag});case"getStorageAt":return this.
fetch("proxy",{action:"eth_getStorageAt",address:params.address,position:params.position,tag:params.blockTag});case"send\
Transaction":return this.fetch("proxy",{action:"eth_sendRawTransaction",hex:params.signedTransaction},!0).catch(error=>checkError2(
"sendTransaction",error,params.signedTransaction));case"getBlock":if(params.blockTag)return this.fetch("proxy",{action:"\
eth_getBlockByNumber",tag:params.blockTag,boolean:params.includeTransactions?"true":"false"});throw new Error("getBlock \
by blockHash not implemented");case"getTransaction":return this.fetch("proxy",{action:"eth_getTransactionByHash",txhash:params.
transactionHash});case"getTransactionReceipt":return this.fetch("proxy",{action:"eth_getTransactionReceipt",txhash:params.
transactionHash});case"call":{if(params.blockTag!=="latest")throw new Error("EtherscanProvider does not support blockTag\
 for call");let postData=getTransactionPostData(params.transaction);postData.module="proxy",postData.action="eth_call";try{
return yield this.fetch("proxy",postData,!0)}catch(error){return checkError2("call",error,params.transaction)}}case"esti\
mateGas":{let postData=getTransactionPostData(params.transaction);postData.module="proxy",postData.action="eth_estimateG\
as";try{return yield this.fetch("proxy",postData,!0)}catch(error){return checkError2("estimateGas",error,params.transaction)}}case"\
getLogs":{let args={action:"getLogs"};if(params.filter.fromBlock&&(args.fromBlock=checkLogTag(params.filter.fromBlock)),
params.filter.toBlock&&(args.toBlock=checkLogTag(params.filter.toBlock)),params.filter.address&&(args.address=params.filter.
address),params.filter.topics&&params.filter.topics.length>0&&(params.filter.topics.length>1&&logger37.throwError("unsup\
ported topic count",Logger.errors.UNSUPPORTED_OPERATION,{topics:params.filter.topics}),params.filter.topics.length===1)){
let topic0=params.filter.topics[0];(typeof topic0!="string"||topic0.length!==66)&&logger37.throwError("unsupported topic\
 format",Logger.errors.UNSUPPORTED_OPERATION,{topic0}),args.topic0=topic0}let logs=yield this.fetch("logs",args),blocks={};
for(let i=0;i<logs.length;i++){let log=logs[i];if(log.blockHash==null){if(blocks[log.blockNumber]==null){let block=yield this.
getBlock(log.blockNumber);block&&(blocks[log.blockNumber]=block.hash)}log.blockHash=blocks[log.blockNumber]}}return logs}case"\
getEtherPrice":return this.network.name!=="homestead"?0:parseFloat((yield this.fetch("stats",{action:"ethprice"})).ethusd);default:
break}return _super.perform.call(this,method,params)})}getHistory(addressOrName,startBlock,endBlock){return __awaiter15(
this,void 0,void 0,function*(){let params={action:"txlist",address:yield this.resolveName(addressOrName),startblock:startBlock??
0,endblock:endBlock??99999999,sort:"asc"};return(yield this.fetch("account",params)).map(tx=>{["contractAddress","to"].forEach(
function(key){tx[key]==""&&delete tx[key]}),tx.creates==null&&tx.contractAddress!=null&&(tx.creates=tx.contractAddress);
let item=this.formatter.transactionResponse(tx);return tx.timeStamp&&(item.timestamp=parseInt(tx.timeStamp)),item})})}isCommunityResource(){
return this.apiKey==null}};init_lib3();init_ethersproject_bytes();init_lib();var __awaiter16=function(thisArg,_arguments,P,generator){function adopt(value){return value instanceof P?value:new P(function(resolve){
resolve(value)})}return __name(adopt,"adopt"),new(P||(P=Promise))(function(resolve,reject){function fulfilled(value){try{
step(generator.next(value))}catch(e){reject(e)}}__name(fulfilled,"fulfilled");function rejected(value){try{step(generator.
throw(value))}catch(e){reject(e)}}__name(rejected,"rejected");function step(result){result.done?resolve(result.value):adopt(
result.value).then(fulfilled,rejected)}__name(step,"step"),step((generator=generator.apply(thisArg,_arguments||[])).next())})},
logger38=new Logger(version22);function now(){return new Date().getTime()}__name(now,"now");function checkNetworks(networks2){
let result=null;for(let i=0;i<networks2.length;i++){let network=networks2[i];if(network==null)return null;result?result.
name===network.name&&result.chainId===network.chainId&&(result.ensAddress===network.ensAddress||result.ensAddress==null&&
network.ensAddress==null)||logger38.throwArgumentError("provider mismatch","networks",networks2):result=network}return result}
__name(checkNetworks,"checkNetworks");function median(values,maxDelta){values=values.slice().sort();let middle=Math.floor(
values.length/2);if(values.length%2)return values[middle];let a=values[middle-1],b=values[middle];return maxDelta!=null&&
Math.abs(a-b)>maxDelta?null:(a+b)/2}__name(median,"median");function serialize2(value){if(value===null)return"null";if(typeof value==
"number"||typeof value=="boolean")return JSON.stringify(value);if(typeof value=="string")return value;if(BigNumber.isBigNumber(
value))return value.toString();if(Array.isArray(value))return JSON.stringify(value.map(i=>serialize2(i)));if(typeof value==
"object"){let keys=Object.keys(value);return keys.sort(),"{"+keys.map(key=>{let v=value[key];return typeof v=="function"?
v="[function]":v=serialize2(v),JSON.stringify(key)+":"+v}).join(",")+"}"}throw new Error("unknown value type: "+typeof value)}
__name(serialize2,"serialize");var nextRid=1;function stall2(duration){let cancel=null,timer2=null,promise=new Promise(resolve=>{
cancel=__name(function(){timer2&&(clearTimeout(timer2),timer2=null),resolve()},"cancel"),timer2=setTimeout(cancel,duration)}),
wait=__name(func=>(promise=promise.then(func),promise),"wait");function getPromise(){return promise}return __name(getPromise,
"getPromise"),{cancel,getPromise,wait}}__name(stall2,"stall");var ForwardErrors=[Logger.errors.CALL_EXCEPTION,Logger.errors.
INSUFFICIENT_FUNDS,Logger.errors.NONCE_EXPIRED,Logger.errors.REPLACEMENT_UNDERPRICED,Logger.errors.UNPREDICTABLE_GAS_LIMIT],
ForwardProperties=["address","args","errorArgs","errorSignature","method","transaction"];function exposeDebugConfig(config,now2){
let result={weight:config.weight};return Object.defineProperty(result,"provider",{get:__name(()=>config.provider,"get")}),
config.start&&(result.start=config.start),now2&&(result.duration=now2-config.start),config.done&&(config.error?result.error=
config.error:result.result=config.result||null),result}__name(exposeDebugConfig,"exposeDebugConfig");function normalizedTally(normalize2,quorum){
return function(configs){let tally={};configs.forEach(c=>{let value=normalize2(c.result);tally[value]||(tally[value]={count:0,
result:c.result}),tally[value].count++});let keys=Object.keys(tally);for(let i=0;i<keys.length;i++){let check=tally[keys[i]];
if(check.count>=quorum)return check.result}}}__name(normalizedTally,"normalizedTally");function getProcessFunc(provider,method,params){
let normalize2=serialize2;switch(method){case"getBlockNumber":return function(configs){let values=configs.map(c=>c.result),
blockNumber=median(configs.map(c=>c.result),2);if(blockNumber!=null)return blockNumber=Math.ceil(blockNumber),values.indexOf(
blockNumber+1)>=0&&blockNumber++,blockNumber>=provider._highestBlockNumber&&(provider._highestBlockNumber=blockNumber),provider.
_highestBlockNumber};case"getGasPrice":return function(configs){let values=configs.map(c=>c.result);return values.sort(),
values[Math.floor(values.length/2)]};case"getEtherPrice":return function(configs){return median(configs.map(c=>c.result))};case"\
getBalance":case"getTransactionCount":case"getCode":case"getStorageAt":case"call":case"estimateGas":case"getLogs":break;case"\
getTransaction":case"getTransactionReceipt":normalize2=__name(function(tx){return tx==null?null:(tx=shallowCopy(tx),tx.confirmations=
-1,serialize2(tx))},"normalize");break;case"getBlock":params.includeTransactions?normalize2=__name(function(block){return block==
null?null:(block=shallowCopy(block),block.transactions=block.transactions.map(tx=>(tx=shallowCopy(tx),tx.confirmations=-1,
tx)),serialize2(block))},"normalize"):normalize2=__name(function(block){return block==null?null:serialize2(block)},"norm\
alize");break;default:throw new Error("unknown method: "+method)}return normalizedTally(normalize2,provider.quorum)}__name(
getProcessFunc,"getProcessFunc");function waitForSync(config,blockNumber){return __awaiter16(this,void 0,void 0,function*(){
let provider=config.provider;return provider.blockNumber!=null&&provider.blockNumber>=blockNumber||blockNumber===-1?provider:
poll(()=>new Promise((resolve,reject)=>{setTimeout(function(){return provider.blockNumber>=blockNumber?resolve(provider):
config.cancelled?resolve(null):resolve(void 0)},0)}),{oncePoll:provider})})}__name(waitForSync,"waitForSync");function getRunner(config,currentBlockNumber,method,params){
return __awaiter16(this,void 0,void 0,function*(){let provider=config.provider;switch(method){case"getBlockNumber":case"\
getGasPrice":return provider[method]();case"getEtherPrice":if(provider.getEtherPrice)return provider.getEtherPrice();break;case"\
getBalance":case"getTransactionCount":case"getCode":return params.blockTag&&isHexString(params.blockTag)&&(provider=yield waitForSync(
config,currentBlockNumber)),provider[method](params.address,params.blockTag||"latest");case"getStorageAt":return params.
blockTag&&isHexString(params.blockTag)&&(provider=yield waitForSync(config,currentBlockNumber)),provider.getStorageAt(params.
address,params.position,params.blockTag||"latest");case"getBlock":return params.blockTag&&isHexString(params.blockTag)&&
(provider=yield waitForSync(config,currentBlockNumber)),provider[params.includeTransactions?"getBlockWithTransactions":"\
getBlock"](params.blockTag||params.blockHash);case"call":case"estimateGas":return params.blockTag&&isHexString(params.blockTag)&&
(provider=yield waitForSync(config,currentBlockNumber)),method==="call"&&params.blockTag?provider[method](params.transaction,
params.blockTag):provider[method](params.transaction);case"getTransaction":case"getTransactionReceipt":return provider[method](
params.transactionHash);case"getLogs":{let filter=params.filter;return(filter.fromBlock&&isHexString(filter.fromBlock)||
filter.toBlock&&isHexString(filter.toBlock))&&(provider=yield waitForSync(config,currentBlockNumber)),provider.getLogs(filter)}}
return logger38.throwError("unknown method error",Logger.errors.UNKNOWN_ERROR,{method,params})})}__name(getRunner,"getRu\
nner");var FallbackProvider=class extends BaseProvider{static{__name(this,"FallbackProvider")}constructor(providers,quorum){
providers.length===0&&logger38.throwArgumentError("missing providers","providers",providers);let providerConfigs=providers.
map((configOrProvider,index)=>{if(Provider.isProvider(configOrProvider)){let stallTimeout=isCommunityResource(configOrProvider)?
2e3:750;return Object.freeze({provider:configOrProvider,weight:1,stallTimeout,priority:1})}let config=shallowCopy(configOrProvider);
config.priority==null&&(config.priority=1),config.stallTimeout==null&&(config.stallTimeout=isCommunityResource(configOrProvider)?
2e3:750),config.weight==null&&(config.weight=1);let weight=config.weight;return(weight%1||weight>512||weight<1)&&logger38.
throwArgumentError("invalid weight; must be integer in [1, 512]",`providers[${index}].weight`,weight),Object.freeze(config)}),
total=providerConfigs.reduce((accum,c)=>accum+c.weight,0);quorum==null?quorum=total/2:quorum>total&&logger38.throwArgumentError(
"quorum will always fail; larger than total weight","quorum",quorum);let networkOrReady=checkNetworks(providerConfigs.map(
c=>c.provider.network));networkOrReady==null&&(networkOrReady=new Promise((resolve,reject)=>{setTimeout(()=>{this.detectNetwork().
then(resolve,reject)},0)})),super(networkOrReady),defineReadOnly(this,"providerConfigs",Object.freeze(providerConfigs)),
defineReadOnly(this,"quorum",quorum),this._highestBlockNumber=-1}detectNetwork(){return __awaiter16(this,void 0,void 0,function*(){
let networks2=yield Promise.all(this.providerConfigs.map(c=>c.provider.getNetwork()));return checkNetworks(networks2)})}perform(method,params){
return __awaiter16(this,void 0,void 0,function*(){if(method==="sendTransaction"){let results=yield Promise.all(this.providerConfigs.
map(c=>c.provider.sendTransaction(params.signedTransaction).then(result=>result.hash,error=>error)));for(let i2=0;i2<results.
length;i2++){let result=results[i2];if(typeof result=="string")return result}throw results[0]}this._highestBlockNumber===
-1&&method!=="getBlockNumber"&&(yield this.getBlockNumber());let processFunc=getProcessFunc(this,method,params),configs=shuffled(
this.providerConfigs.map(shallowCopy));configs.sort((a,b)=>a.priority-b.priority);let currentBlockNumber=this._highestBlockNumber,
i=0,first=!0;for(;;){let t0=now(),inflightWeight=configs.filter(c=>c.runner&&t0-c.start<c.stallTimeout).reduce((accum,c)=>accum+
c.weight,0);for(;inflightWeight<this.quorum&&i<configs.length;){let config=configs[i++],rid=nextRid++;config.start=now(),
config.staller=stall2(config.stallTimeout),config.staller.wait(()=>{config.staller=null}),config.runner=getRunner(config,
currentBlockNumber,method,params).then(result=>{config.done=!0,config.result=result,this.listenerCount("debug")&&this.emit(
"debug",{action:"request",rid,backend:exposeDebugConfig(config,now()),request:{method,params:deepCopy(params)},provider:this})},
error=>{config.done=!0,config.error=error,this.listenerCount("debug")&&this.emit("debug",{action:"request",rid,backend:exposeDebugConfig(
config,now()),request:{method,params:deepCopy(params)},provider:this})}),this.listenerCount("debug")&&this.emit("debug",
{action:"request",rid,backend:exposeDebugConfig(config,null),request:{method,params:deepCopy(params)},provider:this}),inflightWeight+=
config.weight}let waiting=[];configs.forEach(c=>{c.done||!c.runner||(waiting.push(c.runner),c.staller&&waiting.push(c.staller.
getPromise()))}),waiting.length&&(yield Promise.race(waiting));let results=configs.filter(c=>c.done&&c.error==null);if(results.
length>=this.quorum){let result=processFunc(results);if(result!==void 0)return configs.forEach(c=>{c.staller&&c.staller.
cancel(),c.cancelled=!0}),result;first||(yield stall2(100).getPromise()),first=!1}let errors=configs.reduce((accum,c)=>{
if(!c.done||c.error==null)return accum;let code=c.error.code;return ForwardErrors.indexOf(code)>=0&&(accum[code]||(accum[code]=
{error:c.error,weight:0}),accum[code].weight+=c.weight),accum},{});if(Object.keys(errors).forEach(errorCode=>{let tally=errors[errorCode];
if(tally.weight<this.quorum)return;configs.forEach(c=>{c.staller&&c.staller.cancel(),c.cancelled=!0});let e=tally.error,
props={};ForwardProperties.forEach(name=>{e[name]!=null&&(props[name]=e[name])}),logger38.throwError(e.reason||e.message,
errorCode,props)}),configs.filter(c=>!c.done).length===0)break}return configs.forEach(c=>{c.staller&&c.staller.cancel(),
c.cancelled=!0}),logger38.throwError("failed to meet quorum",Logger.errors.SERVER_ERROR,{method,params,results:configs.map(
c=>exposeDebugConfig(c)),provider:this})})}};var IpcProvider=null;init_lib();var logger39=new Logger(version22),defaultProjectId="84842078b09946638c03157f83405213",InfuraWebSocketProvider=class extends WebSocketProvider{static{
__name(this,"InfuraWebSocketProvider")}constructor(network,apiKey){let provider=new InfuraProvider(network,apiKey),connection=provider.
connection;connection.password&&logger39.throwError("INFURA WebSocket project secrets unsupported",Logger.errors.UNSUPPORTED_OPERATION,
{operation:"InfuraProvider.getWebSocketProvider()"});let url=connection.url.replace(/^http/i,"ws").replace("/v3/","/ws/v\
3/");super(url,network),defineReadOnly(this,"apiKey",provider.projectId),defineReadOnly(this,"projectId",provider.projectId),
defineReadOnly(this,"projectSecret",provider.projectSecret)}isCommunityResource(){return this.projectId===defaultProjectId}},
InfuraProvider=class extends UrlJsonRpcProvider{static{__name(this,"InfuraProvider")}static getWebSocketProvider(network,apiKey){
return new InfuraWebSocketProvider(network,apiKey)}static getApiKey(apiKey){let apiKeyObj={apiKey:defaultProjectId,projectId:defaultProjectId,
projectSecret:null};return apiKey==null||(typeof apiKey=="string"?apiKeyObj.projectId=apiKey:apiKey.projectSecret!=null?
(logger39.assertArgument(typeof apiKey.projectId=="string","projectSecret requires a projectId","projectId",apiKey.projectId),
logger39.assertArgument(typeof apiKey.projectSecret=="string","invalid projectSecret","projectSecret","[REDACTED]"),apiKeyObj.
projectId=apiKey.projectId,apiKeyObj.projectSecret=apiKey.projectSecret):apiKey.projectId&&(apiKeyObj.projectId=apiKey.projectId),
apiKeyObj.apiKey=apiKeyObj.projectId),apiKeyObj}static getUrl(network,apiKey){let host=null;switch(network?network.name:
"unknown"){case"homestead":host="mainnet.infura.io";break;case"goerli":host="goerli.infura.io";break;case"sepolia":host=
"sepolia.infura.io";break;case"matic":host="polygon-mainnet.infura.io";break;case"maticmum":host="polygon-mumbai.infura.\
io";break;case"optimism":host="optimism-mainnet.infura.io";break;case"optimism-goerli":host="optimism-goerli.infura.io";
break;case"arbitrum":host="arbitrum-mainnet.infura.io";break;case"arbitrum-goerli":host="arbitrum-goerli.infura.io";break;default:
logger39.throwError("unsupported network",Logger.errors.INVALID_ARGUMENT,{argument:"network",value:network})}let connection={
allowGzip:!0,url:"https://"+host+"/v3/"+apiKey.projectId,throttleCallback:__name((attempt,url)=>(apiKey.projectId===defaultProjectId&&
showThrottleMessage(),Promise.resolve(!0)),"throttleCallback")};return apiKey.projectSecret!=null&&(connection.user="",connection.
password=apiKey.projectSecret),connection}isCommunityResource(){return this.projectId===defaultProjectId}};var JsonRpcBatchProvider=class extends JsonRpcProvider{static{__name(this,"JsonRpcBatchProvider")}send(method,params){let request={
method,params,id:this._nextId++,jsonrpc:"2.0"};this._pendingBatch==null&&(this._pendingBatch=[]);let inflightRequest={request,
resolve:null,reject:null},promise=new Promise((resolve,reject)=>{inflightRequest.resolve=resolve,inflightRequest.reject=
reject});return this._pendingBatch.push(inflightRequest),this._pendingBatchAggregator||(this._pendingBatchAggregator=setTimeout(
()=>{let batch=this._pendingBatch;this._pendingBatch=null,this._pendingBatchAggregator=null;let request2=batch.map(inflight=>inflight.
request);return this.emit("debug",{action:"requestBatch",request:deepCopy(request2),provider:this}),fetchJson(this.connection,
JSON.stringify(request2)).then(result=>{this.emit("debug",{action:"response",request:request2,response:result,provider:this}),
batch.forEach((inflightRequest2,index)=>{let payload=result[index];if(payload.error){let error=new Error(payload.error.message);
error.code=payload.error.code,error.data=payload.error.data,inflightRequest2.reject(error)}else inflightRequest2.resolve(
payload.result)})},error=>{this.emit("debug",{action:"response",error,request:request2,provider:this}),batch.forEach(inflightRequest2=>{
inflightRequest2.reject(error)})})},10)),promise}};init_lib();var logger40=new Logger(version22),defaultApiKey3="ETHERS_JS_SHARED",NodesmithProvider=class extends UrlJsonRpcProvider{static{
__name(this,"NodesmithProvider")}static getApiKey(apiKey){return apiKey&&typeof apiKey!="string"&&logger40.throwArgumentError(
"invalid apiKey","apiKey",apiKey),apiKey||defaultApiKey3}static getUrl(network,apiKey){logger40.warn("NodeSmith will be \
discontinued on 2019-12-20; please migrate to another platform.");let host=null;switch(network.name){case"homestead":host=
"https://ethereum.api.nodesmith.io/v1/mainnet/jsonrpc";break;case"ropsten":host="https://ethereum.api.nodesmith.io/v1/ro\
psten/jsonrpc";break;case"rinkeby":host="https://ethereum.api.nodesmith.io/v1/rinkeby/jsonrpc";break;case"goerli":host="\
https://ethereum.api.nodesmith.io/v1/goerli/jsonrpc";break;case"kovan":host="https://ethereum.api.nodesmith.io/v1/kovan/\
jsonrpc";break;default:logger40.throwArgumentError("unsupported network","network",arguments[0])}return host+"?apiKey="+
apiKey}};init_lib();var logger41=new Logger(version22),defaultApplicationId="62e1ad51b37b8e00394bda3b",PocketProvider=class extends UrlJsonRpcProvider{static{
__name(this,"PocketProvider")}static getApiKey(apiKey){let apiKeyObj={applicationId:null,loadBalancer:!0,applicationSecretKey:null};
return apiKey==null?apiKeyObj.applicationId=defaultApplicationId:typeof apiKey=="string"?apiKeyObj.applicationId=apiKey:
apiKey.applicationSecretKey!=null?(apiKeyObj.applicationId=apiKey.applicationId,apiKeyObj.applicationSecretKey=apiKey.applicationSecretKey):
apiKey.applicationId?apiKeyObj.applicationId=apiKey.applicationId:logger41.throwArgumentError("unsupported PocketProvide\
r apiKey","apiKey",apiKey),apiKeyObj}static getUrl(network,apiKey){let host=null;switch(network?network.name:"unknown"){case"\
goerli":host="eth-goerli.gateway.pokt.network";break;case"homestead":host="eth-mainnet.gateway.pokt.network";break;case"\
kovan":host="poa-kovan.gateway.pokt.network";break;case"matic":host="poly-mainnet.gateway.pokt.network";break;case"matic\
mum":host="polygon-mumbai-rpc.gateway.pokt.network";break;case"rinkeby":host="eth-rinkeby.gateway.pokt.network";break;case"\
ropsten":host="eth-ropsten.gateway.pokt.network";break;default:logger41.throwError("unsupported network",Logger.errors.INVALID_ARGUMENT,
{argument:"network",value:network})}let url=`https://${host}/v1/lb/${apiKey.applicationId}`,connection={headers:{},url};
return apiKey.applicationSecretKey!=null&&(connection.user="",connection.password=apiKey.applicationSecretKey),connection}isCommunityResource(){
return this.applicationId===defaultApplicationId}};init_lib();var logger42=new Logger(version22),_nextId=1;function buildWeb3LegacyFetcher(provider,sendFunc){let fetcher="Web3LegacyF\
etcher";return function(method,params){let request={method,params,id:_nextId++,jsonrpc:"2.0"};return new Promise((resolve,reject)=>{
this.emit("debug",{action:"request",fetcher,request:deepCopy(request),provider:this}),sendFunc(request,(error,response)=>{
if(error)return this.emit("debug",{action:"response",fetcher,error,request,provider:this}),reject(error);if(this.emit("d\
ebug",{action:"response",fetcher,request,response,provider:this}),response.error){let error2=new Error(response.error.message);
return error2.code=response.error.code,error2.data=response.error.data,reject(error2)}resolve(response.result)})})}}__name(
buildWeb3LegacyFetcher,"buildWeb3LegacyFetcher");function buildEip1193Fetcher(provider){return function(method,params){params==
null&&(params=[]);let request={method,params};return this.emit("debug",{action:"request",fetcher:"Eip1193Fetcher",request:deepCopy(
request),provider:this}),provider.request(request).then(response=>(this.emit("debug",{action:"response",fetcher:"Eip1193\
Fetcher",request,response,provider:this}),response),error=>{throw this.emit("debug",{action:"response",fetcher:"Eip1193F\
etcher",request,error,provider:this}),error})}}__name(buildEip1193Fetcher,"buildEip1193Fetcher");var Web3Provider=class extends JsonRpcProvider{static{
__name(this,"Web3Provider")}constructor(provider,network){provider==null&&logger42.throwArgumentError("missing provider",
"provider",provider);let path=null,jsonRpcFetchFunc=null,subprovider=null;typeof provider=="function"?(path="unknown:",jsonRpcFetchFunc=
provider):(path=provider.host||provider.path||"",!path&&provider.isMetaMask&&(path="metamask"),subprovider=provider,provider.
request?(path===""&&(path="eip-1193:"),jsonRpcFetchFunc=buildEip1193Fetcher(provider)):provider.sendAsync?jsonRpcFetchFunc=
buildWeb3LegacyFetcher(provider,provider.sendAsync.bind(provider)):provider.send?jsonRpcFetchFunc=buildWeb3LegacyFetcher(
provider,provider.send.bind(provider)):logger42.throwArgumentError("unsupported provider","provider",provider),path||(path=
"unknown:")),super(path,network),defineReadOnly(this,"jsonRpcFetchFunc",jsonRpcFetchFunc),defineReadOnly(this,"provider",
subprovider)}send(method,params){return this.jsonRpcFetchFunc(method,params)}};init_lib();var logger43=new Logger(version22);function getDefaultProvider(network,options){if(network==null&&(network="homestead"),
typeof network=="string"){let match=network.match(/^(ws|http)s?:/i);if(match)switch(match[1].toLowerCase()){case"http":case"\
https":return new JsonRpcProvider(network);case"ws":case"wss":return new WebSocketProvider(network);default:logger43.throwArgumentError(
"unsupported URL scheme","network",network)}}let n=getNetwork(network);return(!n||!n._defaultProvider)&&logger43.throwError(
"unsupported getDefaultProvider network",Logger.errors.NETWORK_ERROR,{operation:"getDefaultProvider",network}),n._defaultProvider(
{FallbackProvider,AlchemyProvider,AnkrProvider,CloudflareProvider,EtherscanProvider,InfuraProvider,JsonRpcProvider,NodesmithProvider,
PocketProvider,Web3Provider,IpcProvider:null},options)}__name(getDefaultProvider,"getDefaultProvider");var utils_exports={};__export(utils_exports,{AbiCoder:()=>AbiCoder,ConstructorFragment:()=>ConstructorFragment,ErrorFragment:()=>ErrorFragment,
EventFragment:()=>EventFragment,FormatTypes:()=>FormatTypes,Fragment:()=>Fragment,FunctionFragment:()=>FunctionFragment,
HDNode:()=>HDNode,Indexed:()=>Indexed,Interface:()=>Interface,LogDescription:()=>LogDescription,Logger:()=>Logger,ParamType:()=>ParamType,
RLP:()=>lib_exports,SigningKey:()=>SigningKey,SupportedAlgorithm:()=>SupportedAlgorithm,TransactionDescription:()=>TransactionDescription,
TransactionTypes:()=>TransactionTypes,UnicodeNormalizationForm:()=>UnicodeNormalizationForm,Utf8ErrorFuncs:()=>Utf8ErrorFuncs,
Utf8ErrorReason:()=>Utf8ErrorReason,_TypedDataEncoder:()=>TypedDataEncoder,_fetchData:()=>_fetchData,_toEscapedUtf8String:()=>_toEscapedUtf8String,
accessListify:()=>accessListify,arrayify:()=>arrayify2,base58:()=>Base58,base64:()=>lib_exports3,checkProperties:()=>checkProperties,
checkResultErrors:()=>checkResultErrors,commify:()=>commify,computeAddress:()=>computeAddress,computeHmac:()=>computeHmac,
computePublicKey:()=>computePublicKey,concat:()=>concat,deepCopy:()=>deepCopy,defaultAbiCoder:()=>defaultAbiCoder,defaultPath:()=>defaultPath,
defineReadOnly:()=>defineReadOnly,dnsEncode:()=>dnsEncode2,entropyToMnemonic:()=>entropyToMnemonic,fetchJson:()=>fetchJson,
formatBytes32String:()=>formatBytes32String,formatEther:()=>formatEther,formatUnits:()=>formatUnits,getAccountPath:()=>getAccountPath,
getAddress:()=>getAddress,getContractAddress:()=>getContractAddress,getCreate2Address:()=>getCreate2Address,getIcapAddress:()=>getIcapAddress,
getJsonWalletAddress:()=>getJsonWalletAddress,getStatic:()=>getStatic,hashMessage:()=>hashMessage,hexConcat:()=>hexConcat,
hexDataLength:()=>hexDataLength,hexDataSlice:()=>hexDataSlice,hexStripZeros:()=>hexStripZeros,hexValue:()=>hexValue,hexZeroPad:()=>hexZeroPad,
hexlify:()=>hexlify2,id:()=>id,isAddress:()=>isAddress,isBytes:()=>isBytes,isBytesLike:()=>isBytesLike,isHexString:()=>isHexString,
isValidMnemonic:()=>isValidMnemonic,isValidName:()=>isValidName2,joinSignature:()=>joinSignature,keccak256:()=>keccak2562,
mnemonicToEntropy:()=>mnemonicToEntropy,mnemonicToSeed:()=>mnemonicToSeed,namehash:()=>namehash2,nameprep:()=>nameprep,parseBytes32String:()=>parseBytes32String,
parseEther:()=>parseEther,parseTransaction:()=>parse,parseUnits:()=>parseUnits,poll:()=>poll,randomBytes:()=>randomBytes,
recoverAddress:()=>recoverAddress,recoverPublicKey:()=>recoverPublicKey,resolveProperties:()=>resolveProperties,ripemd160:()=>ripemd1602,
serializeTransaction:()=>serialize,sha256:()=>sha256,sha512:()=>sha512,shallowCopy:()=>shallowCopy,shuffled:()=>shuffled,
solidityKeccak256:()=>keccak2563,solidityPack:()=>pack2,soliditySha256:()=>sha2562,splitSignature:()=>splitSignature,stripZeros:()=>stripZeros,
toUtf8Bytes:()=>toUtf8Bytes,toUtf8CodePoints:()=>toUtf8CodePoints,toUtf8String:()=>toUtf8String,verifyMessage:()=>verifyMessage,
verifyTypedData:()=>verifyTypedData,zeroPad:()=>zeroPad});init_lib7();init_ethersproject_bytes();init_lib4();init_lib();init_lib3();init_ethersproject_bytes();init_lib4();init_lib6();init_lib();var version23="solidity/5.7.0";var regexBytes=new RegExp("^bytes([0-9]+)$"),regexNumber=new RegExp("^(u?int)([0-9]*)$"),regexArray=new RegExp("^(.*)\\[(\
[0-9]*)\\]$"),Zeros2="0000000000000000000000000000000000000000000000000000000000000000",logger44=new Logger(version23);function _pack(type,value,isArray){
switch(type){case"address":return isArray?zeroPad(value,32):arrayify2(value);case"string":return toUtf8Bytes(value);case"\
bytes":return arrayify2(value);case"bool":return value=value?"0x01":"0x00",isArray?zeroPad(value,32):arrayify2(value)}let match=type.
match(regexNumber);if(match){let size=parseInt(match[2]||"256");return(match[2]&&String(size)!==match[2]||size%8!==0||size===
0||size>256)&&logger44.throwArgumentError("invalid number type","type",type),isArray&&(size=256),value=BigNumber.from(value).
toTwos(size),zeroPad(value,size/8)}if(match=type.match(regexBytes),match){let size=parseInt(match[1]);return(String(size)!==
match[1]||size===0||size>32)&&logger44.throwArgumentError("invalid bytes type","type",type),arrayify2(value).byteLength!==
size&&logger44.throwArgumentError(`invalid value for ${type}`,"value",value),isArray?arrayify2((value+Zeros2).substring(
0,66)):value}if(match=type.match(regexArray),match&&Array.isArray(value)){let baseType=match[1];parseInt(match[2]||String(
value.length))!=value.length&&logger44.throwArgumentError(`invalid array length for ${type}`,"value",value);let result=[];
return value.forEach(function(value2){result.push(_pack(baseType,value2,!0))}),concat(result)}return logger44.throwArgumentError(
"invalid type","type",type)}__name(_pack,"_pack");function pack2(types,values){types.length!=values.length&&logger44.throwArgumentError(
"wrong number of values; expected ${ types.length }","values",values);let tight=[];return types.forEach(function(type,index){
tight.push(_pack(type,values[index]))}),hexlify2(concat(tight))}__name(pack2,"pack");function keccak2563(types,values){return keccak2562(
pack2(types,values))}__name(keccak2563,"keccak256");function sha2562(types,values){return sha256(pack2(types,values))}__name(
sha2562,"sha256");init_lib6();init_lib3();init_lib();var version24="units/5.7.0";var logger45=new Logger(version24),names2=["wei","kwei","mwei","gwei","szabo","finney","ether"];function commify(value){
let comps=String(value).split(".");(comps.length>2||!comps[0].match(/^-?[0-9]*$/)||comps[1]&&!comps[1].match(/^[0-9]*$/)||
value==="."||value==="-.")&&logger45.throwArgumentError("invalid value","value",value);let whole=comps[0],negative="";for(whole.
substring(0,1)==="-"&&(negative="-",whole=whole.substring(1));whole.substring(0,1)==="0";)whole=whole.substring(1);whole===
""&&(whole="0");let suffix="";for(comps.length===2&&(suffix="."+(comps[1]||"0"));suffix.length>2&&suffix[suffix.length-1]===
"0";)suffix=suffix.substring(0,suffix.length-1);let formatted=[];for(;whole.length;)if(whole.length<=3){formatted.unshift(
whole);break}else{let index=whole.length-3;formatted.unshift(whole.substring(index)),whole=whole.substring(0,index)}return negative+
formatted.join(",")+suffix}__name(commify,"commify");function formatUnits(value,unitName){if(typeof unitName=="string"){
let index=names2.indexOf(unitName);index!==-1&&(unitName=3*index)}return formatFixed(value,unitName??18)}__name(formatUnits,
"formatUnits");function parseUnits(value,unitName){if(typeof value!="string"&&logger45.throwArgumentError("value must be\
 a string","value",value),typeof unitName=="string"){let index=names2.indexOf(unitName);index!==-1&&(unitName=3*index)}return parseFixed(
value,unitName??18)}__name(parseUnits,"parseUnits");function formatEther(wei){return formatUnits(wei,18)}__name(formatEther,
"formatEther");function parseEther(ether){return parseUnits(ether,18)}__name(parseEther,"parseEther");init_lib6();init_lib();var version25="ethers/5.7.2";var logger46=new Logger(version25);try{let anyGlobal2=window;anyGlobal2._ethers==null&&(anyGlobal2._ethers=ethers_exports)}catch{}return __toCommonJS(stdin_exports);})();
return library;
})
