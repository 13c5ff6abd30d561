/* Made by build.mjs, not by hand. Contains:

micro-eth-signer 0.20.1:

The MIT License (MIT)

Copyright (c) 2021 Paul Miller (https://paulmillr.com)

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

@noble/hashes 2.4.0, micro-packed 0.11.1, @scure/base 2.4.0:

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
*/
function M(e){return e instanceof Uint8Array||ArrayBuffer.isView(e)&&e.constructor.name==="Uint8Array"&&"BYTES_PER_ELEME\
NT"in e&&e.BYTES_PER_ELEMENT===1}var H=e=>e?`"${e}" `:"";function $(e,t=""){if(typeof e!="number")throw new TypeError(H(
t)+"expected number, got "+typeof e);if(!Number.isSafeInteger(e)||e<0)throw new RangeError(H(t)+"expected integer >= 0, \
got "+e);return e}function _e(e,t=""){if(typeof e!="boolean")throw new TypeError(H(t)+"expected boolean, got type="+typeof e);
return e}function S(e,t,r=""){if(M(e)&&(t===void 0||e.length===t))return e;t!==void 0&&$(t,"length");let n=M(e),i=t!==void 0?
` of length ${t}`:"",o=n?`length=${e.length}`:`type=${typeof e}`,s=H(r)+"expected Uint8Array"+i+", got "+o;throw n?new RangeError(
s):new TypeError(s)}var Et=(e,t)=>{if(e===null||typeof e!="object"||Array.isArray(e))throw new TypeError((t==="object"?"":`"${t}" `)+"expect\
ed object, got type="+typeof e)},Te=(e,t)=>{Et(e,t);let r=Object.getPrototypeOf(e);if(r!==Object.prototype&&r!==null)throw new TypeError(
`"${t}" expected plain object`);if(Object.hasOwn(e,"__proto__"))throw new TypeError(`"${t}.__proto__" is not allowed`)};
function se(e,t=!0){if(e.destroyed)throw new Error("hash was destroyed");if(t&&e.finished)throw new Error("digest() was \
already called")}function Ie(e,t){S(e,void 0,"output");let r=t.outputLen;if(!(e.length>=r))throw new RangeError('"output\
" expected length >= '+r)}function ce(e){return new Uint32Array(e.buffer,e.byteOffset,Math.floor(e.byteLength/4))}function D(...e){for(let t=0;t<e.
length;t++)e[t].fill(0)}var $t=new Uint8Array(new Uint32Array([287454020]).buffer)[0]===68;function St(e){return e<<24&4278190080|e<<8&16711680|
e>>>8&65280|e>>>24&255}function At(e){for(let t=0;t<e.length;t++)e[t]=St(e[t]);return e}var ae=$t?e=>e:At,Oe=typeof Uint8Array.from([]).toHex==
"function"&&typeof Uint8Array.fromHex=="function",Tt=Array.from({length:256},(e,t)=>t.toString(16).padStart(2,"0"));function _(e){
if(S(e),Oe)return e.toHex();let t="";for(let r=0;r<e.length;r++)t+=Tt[e[r]];return t}function Be(e){return e>=48&&e<=57?
e-48:e>=65&&e<=70?e-55:e>=97&&e<=102?e-87:void 0}function N(e){if(typeof e!="string")throw new TypeError("hex string exp\
ected, got "+typeof e);if(Oe)try{return Uint8Array.fromHex(e)}catch(i){throw i instanceof SyntaxError?new RangeError(i.message):
i}let t=e.length,r=t/2;if(t%2)throw new RangeError("hex string expected, got unpadded hex of length "+t);let n=new Uint8Array(
r);for(let i=0,o=0;i<r;i++,o+=2){let s=Be(e.charCodeAt(o)),c=Be(e.charCodeAt(o+1));if(s===void 0||c===void 0){let a=e[o]+
e[o+1];throw new RangeError('hex string expected, got non-hex character "'+a+'" at index '+o)}n[i]=s*16+c}return n}function ke(e){if(typeof e!="string")throw new TypeError("string expected");let t=new TextEncoder().encode(e);try{return new Uint8Array(
t)}finally{D(t)}}function W(...e){let t=0;for(let n=0;n<e.length;n++){let i=e[n];S(i),t+=i.length}let r=new Uint8Array(t);for(let n=0,i=0;n<
e.length;n++){let o=e[n];r.set(o,i),i+=o.length}return r}function Ue(e,t,r="opts"){return Te(e,"defaults"),t!==void 0&&Te(t,r),Object.assign(Object.create(null),e,t)}function Re(e,t={}){
if(typeof e!="function")throw new TypeError('"hashCons" expected function, got type='+typeof e);t=Ue({},t,"info");let r=(i,o)=>e(
o).update(i).digest(),n=e(void 0);return r.outputLen=n.outputLen,r.blockLen=n.blockLen,r.canXOF=n.canXOF,r.create=i=>e(i),
Object.assign(r,t),Object.freeze(r)}var V=BigInt(4294967295),Ce=BigInt(32);function Bt(e,t=!1){return t?{h:Number(e&V),l:Number(e>>Ce&V)}:{h:Number(e>>Ce&V)|
0,l:Number(e&V)|0}}function Pe(e,t=!1){let r=e.length,n=new Uint32Array(r),i=new Uint32Array(r);for(let o=0;o<r;o++){let{
h:s,l:c}=Bt(e[o],t);[n[o],i[o]]=[s,c]}return[n,i]}var _t=BigInt(0),v=BigInt(1),It=BigInt(2),Ot=BigInt(7),kt=BigInt(256),Ut=BigInt(113),Le=[],ze=[],je=[];for(let e=0,t=v,r=1,
n=0;e<24;e++){[r,n]=[n,(2*r+3*n)%5],Le.push(2*(5*n+r)),ze.push((e+1)*(e+2)/2%64);let i=_t;for(let o=0;o<7;o++)t=(t<<v^(t>>
Ot)*Ut)%kt,t&It&&(i^=v<<(v<<BigInt(o))-v);je.push(i)}var Fe=Pe(je,!0),Rt=Fe[0],Ct=Fe[1],Pt=(e,t,r)=>e<<r|t>>>32-r,Nt=(e,t,r)=>t<<
r|e>>>32-r,vt=(e,t,r)=>t<<r-32|e>>>64-r,Lt=(e,t,r)=>e<<r-32|t>>>64-r,Ne=(e,t,r)=>r>32?vt(e,t,r):Pt(e,t,r),ve=(e,t,r)=>r>
32?Lt(e,t,r):Nt(e,t,r),I=new Uint32Array(10);function zt(e,t=24){if(!(e instanceof Uint32Array))throw new TypeError('"s"\
 expected Uint32Array(50), got type='+typeof e);if(e.length!==50)throw new RangeError('"s" expected Uint32Array(50), got\
 length='+e.length);if($(t,"rounds"),t<1||t>24)throw new Error('"rounds" expected integer 1..24');for(let r=24-t;r<24;r++){
for(let o=0;o<10;o++)I[o]=e[o]^e[o+10]^e[o+20]^e[o+30]^e[o+40];for(let o=0;o<10;o+=2){let s=(o+8)%10,c=(o+2)%10,a=I[c],f=I[c+
1],u=Ne(a,f,1)^I[s],d=ve(a,f,1)^I[s+1];for(let h=0;h<50;h+=10)e[o+h]^=u,e[o+h+1]^=d}let n=e[2],i=e[3];for(let o=0;o<24;o++){
let s=ze[o],c=Ne(n,i,s),a=ve(n,i,s),f=Le[o];n=e[f],i=e[f+1],e[f]=c,e[f+1]=a}for(let o=0;o<50;o+=10){let s=e[o],c=e[o+1],
a=e[o+2],f=e[o+3];e[o]^=~e[o+2]&e[o+4],e[o+1]^=~e[o+3]&e[o+5],e[o+2]^=~e[o+4]&e[o+6],e[o+3]^=~e[o+5]&e[o+7],e[o+4]^=~e[o+
6]&e[o+8],e[o+5]^=~e[o+7]&e[o+9],e[o+6]^=~e[o+8]&s,e[o+7]^=~e[o+9]&c,e[o+8]^=~s&a,e[o+9]^=~c&f}e[0]^=Rt[r],e[1]^=Ct[r]}D(
I)}var fe=class e{state;pos=0;posOut=0;finished=!1;state32;destroyed=!1;blockLen;suffix;outputLen;canXOF;enableXOF=!1;rounds;constructor(t,r,n,i=!1,o=24){
if($(t,"blockLen"),$(r,"suffix"),$(o,"rounds"),_e(i,"enableXOF"),this.blockLen=t,this.suffix=r,this.outputLen=n,this.enableXOF=
i,this.canXOF=i,this.rounds=o,$(n,"outputLen"),!(0<t&&t<200))throw new Error('"blockLen" must be 1..199');this.state=new Uint8Array(
200),this.state32=ce(this.state)}clone(){return this._cloneInto()}keccak(){ae(this.state32),zt(this.state32,this.rounds),
ae(this.state32),this.posOut=0,this.pos=0}update(t){se(this),S(t);let{blockLen:r,state:n,state32:i}=this,o=t.length,s=r%
4===0&&t.byteOffset%4===0,c=r/4,a=s&&o>=r?ce(t):void 0;for(let f=0;f<o;){if(a!==void 0&&this.pos===0&&f%4===0&&o-f>=r){for(let d=0,
h=f/4;d<c;d++)i[d]^=a[h+d];f+=r,this.pos=r,this.keccak();continue}let u=Math.min(r-this.pos,o-f);for(let d=0;d<u;d++)n[this.
pos++]^=t[f++];this.pos===r&&this.keccak()}return this}finish(){if(this.finished)return;this.finished=!0;let{state:t,suffix:r,
pos:n,blockLen:i}=this;t[n]^=r,(r&128)!==0&&n===i-1&&this.keccak(),t[i-1]^=128,this.keccak()}writeInto(t){se(this,!1),S(
t),this.finish();let r=this.state,{blockLen:n}=this;for(let i=0,o=t.length;i<o;){this.posOut>=n&&this.keccak();let s=Math.
min(n-this.posOut,o-i);t.set(r.subarray(this.posOut,this.posOut+s),i),this.posOut+=s,i+=s}return t}xofInto(t){if(!this.enableXOF)
throw new Error("XOF is not enabled");return this.writeInto(t)}xof(t){return $(t),this.xofInto(new Uint8Array(t))}digestInto(t){
if(Ie(t,this),this.finished)throw new Error("digest() was already called");this.writeInto(t.length===this.outputLen?t:t.
subarray(0,this.outputLen)),this.destroy()}digest(){let t=new Uint8Array(this.outputLen);return this.digestInto(t),t}destroy(){
this.destroyed=!0,D(this.state)}_cloneInto(t){let{blockLen:r,suffix:n,outputLen:i,rounds:o,enableXOF:s}=this;return t||=
new e(r,n,i,s,o),t.blockLen=r,t.state32.set(this.state32),t.pos=this.pos,t.posOut=this.posOut,t.finished=this.finished,t.
rounds=o,t.suffix=n,t.outputLen=i,t.enableXOF=s,t.canXOF=this.canXOF,t.destroyed=this.destroyed,t}},jt=(e,t,r,n={})=>Re(
()=>new fe(t,e,r),n);var de=jt(1,136,32);var L=e=>Object.freeze(e());function Ft(e){return e instanceof Uint8Array||ArrayBuffer.isView(e)&&e.constructor.name==="\
Uint8Array"&&"BYTES_PER_ELEMENT"in e&&e.BYTES_PER_ELEMENT===1}function A(e){if(!Ft(e))throw new TypeError("Uint8Array ex\
pected")}function Mt(e){if(typeof e!="function")throw new TypeError("function expected");return!0}function k(e,t){if(typeof t!="s\
tring")throw new TypeError(`${e}: string expected`);return!0}function Ht(e,t="number"){if(typeof e!="number")throw new TypeError(
`${t}: expected number, got ${typeof e}`);if(!Number.isSafeInteger(e))throw new RangeError(`${t}: expected safe integer,\
 got ${e}`)}function Dt(...e){let t=o=>o,r=(o,s)=>c=>o(s(c)),n=e.map(o=>o.encode).reduceRight(r,t),i=e.map(o=>o.decode).reduce(r,t);
return{encode:n,decode:i}}function Wt(e){return Mt(e),{encode:t=>t,decode:t=>e(t)}}var Vt=(()=>{let e=[];for(let t=0;t<40;t++)
e.push(2**t);return e})();var Me=(()=>{try{let e=new TextDecoder;return e.decode(Uint8Array.of(65,48,43,127))==="A0+\x7F"?e:void 0}catch{return}})(),
ue=8192;function Kt(e){let t=e.length;if(Me!==void 0&&t>=12)return Me.decode(e);if(t<=ue)return String.fromCharCode.apply(
null,e);let r="";for(let n=0;n<t;n+=ue)r+=String.fromCharCode.apply(null,e.subarray(n,n+ue));return r}function Xt(e){if(Ht(
e),e<=0||e>8)throw new RangeError("radix2: bits should be in (0..8]");let t=Vt[e]-1;return{encode:r=>{A(r);let n=r.length,
i=new Uint8Array(Math.ceil(n*8/e)),o=0,s=0,c=0;for(let a=0;a<n;)for(a+2<n?(o=o<<24|r[a]<<16|r[a+1]<<8|r[a+2],s+=24,a+=3):
(o=(o<<8|r[a])&65535,s+=8,a++);s-=e,i[c++]=o>>s&t,!(s<e););return s>0&&(i[c]=o<<e-s&t),i},decode:r=>{let n=r.length,i=new Uint8Array(
Math.floor(n*e/8)),o=0,s=0,c=0;for(let a=0;a<n;a++)for(o=(o<<e|r[a])&65535,s+=e;s>=8;s-=8)i[c++]=o>>s-8&255;if(o=o<<8-s&
255,s>=e)throw new Error("Excess padding");if(o>0)throw new Error(`Non-zero padding: ${o}`);return i}}}function We(e,t){
let r=e.length;if(r>128)throw new Error("alphabet: max 128 letters");let n=new Uint8Array(r),i=new Int8Array(128).fill(-1);
for(let o=0;o<r;o++){let s=e.charCodeAt(o);if(e.codePointAt(o)!==s||s>127)throw new Error("alphabet: single-char ASCII l\
etters only");n[o]=s,i[s]=o}if(t!==void 0)for(let o of Object.keys(t)){let s=o.charCodeAt(0),c=i[t[o].charCodeAt(0)];if(o.
length!==1||s>127||c===void 0||c===-1)throw new Error(`alphabet: invalid alias ${o}`);i[s]=c}return{encode:o=>{let s=new Uint8Array(
o.length);for(let c=0;c<o.length;c++){let a=o[c],f=n[a];if(f===void 0)throw new Error(`alphabet.encode: invalid digit ${a}`);
s[c]=f}return Kt(s)},decode:o=>{k("decode",o);let s=o.length,c=new Uint8Array(s);for(let a=0;a<s;a++){let f=o.charCodeAt(
a),u=f<128?i[f]:-1;if(u===-1)throw new Error(`Unknown letter "${o[a]}". Allowed: ${e}`);c[a]=u}return c}}}var Gt=656356768;var He=65536,Yt=2048,Zt=4096,qt=(e,t)=>({encode:r=>{A(r);let n=r.length;if(n===0)return new Uint8Array(0);if(n>=He)throw new Error(
"invalid length");let i=0;for(;i<n-1&&r[i]===0;)i++;let o=Math.ceil(n/2),s=new Uint16Array(o),c=n&1;c&&(s[0]=r[0]);for(let l=c,
p=c;l<n;l+=2,p++)s[p]=r[l]<<8|r[l+1];let a=[],f=0;for(;f<o;){let l=0;for(let p=f;p<o;p++){let m=l*65536+s[p],ie=Math.floor(
m/t);l=m-ie*t,s[p]=ie,ie===0&&p===f&&f++}a.push(l)}let u=a.length-1,d=u*5;for(let l=a[u];d++,!(l<e);l=Math.floor(l/e));let h=new Uint8Array(
i+d),w=h.length-1;for(let l=0;l<u;l++){let p=a[l];for(let m=0;m<5;m++)h[w--]=p%e,p=Math.floor(p/e)}for(let l=a[u];w>=i;l=
Math.floor(l/e))h[w--]=l%e;return h},decode:r=>{A(r);let n=r.length;if(n===0)return new Uint8Array(0);if(n>=He)throw new Error(
"invalid length");let i=0;for(;i<n-1&&r[i]===0;)i++;let o=new Uint16Array(Math.ceil(n*6/16)+1),s=0,c=0,a=n%5||5;for(;c<n;){
let h=0,w=1;for(let p=c+a;c<p;c++){let m=r[c];if(m>=e)throw new Error(`invalid integer: ${m}`);h=h*e+m,w*=e}a=5;let l=h;
for(let p=0;p<s;p++){let m=o[p]*w+l;l=Math.floor(m/65536),o[p]=m-l*65536}for(;l>0;l=Math.floor(l/65536))o[s++]=l%65536}let f=s===
0?1:s*2-(o[s-1]<256?1:0),u=new Uint8Array(i+f),d=u.length-1;for(let h=0;h<s;h++){let w=o[h];u[d--]=w&255,d>=i&&(u[d--]=w>>
8)}return u}}),Qt=(e,t)=>{let r=We(t);return{encode(n){if(A(n),n.length>Yt)throw new Error("invalid length");return r.encode(
e.encode(n))},decode(n){if(k("baseN.decode",n),n.length>Zt)throw new Error("invalid length");return e.decode(r.decode(n))}}},
Jt=qt(58,Gt);var er=e=>Qt(Jt,e),tr=L(()=>er("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"));var rr=e=>{try{return encodeURI(e)!==null}catch{return!1}},Ve=typeof"".isWellFormed=="function"?e=>e.isWellFormed():rr,O=e=>new TypeError(
`invalid utf8 at byte ${e}`),De=L(()=>({encode(e){A(e);let t="";for(let r=0;r<e.length;){let n=e[r++];if(n<128){t+=String.
fromCharCode(n);continue}if(n<194||r>=e.length)throw O(r-1);let i=e[r++];if((i&192)!==128)throw O(r-1);let o=(n&31)<<6|i&
63;if(n>=224){if(r>=e.length)throw O(r-1);let s=e[r++];if((s&192)!==128||n===224&&i<160||n===237&&i>=160)throw O(r-1);if(o=
(n&15)<<12|(i&63)<<6|s&63,n>=240){if(r>=e.length)throw O(r-1);let c=e[r++];if(n>244||(c&192)!==128||n===240&&i<144||n===
244&&i>=144)throw O(r-1);o=(n&7)<<18|(i&63)<<12|(s&63)<<6|c&63}}o<65536?t+=String.fromCharCode(o):(o-=65536,t+=String.fromCharCode(
(o>>10)+55296,(o&1023)+56320))}return t},decode(e){if(k("utf8",e),!Ve(e))throw new TypeError("utf8 expected well-formed \
string");let t=new Uint8Array(e.length*3),r=0;for(let n=0;n<e.length;n++){let i=e.charCodeAt(n);if(i<128){t[r++]=i;continue}
if(i>=55296&&i<=57343){let o=e.charCodeAt(++n);i=65536+(i-55296<<10)+o-56320}i>=65536?(t[r++]=i>>18|240,t[r++]=i>>12&63|
128):i>=2048?t[r++]=i>>12|224:t[r++]=i>>6|192,i>=2048&&(t[r++]=i>>6&63|128),t[r++]=i&63|128}return t.subarray(0,r)}})),Ke=L(
()=>{let e,t,r={encode(n){return A(n),(t||(t=new TextDecoder("utf-8",{ignoreBOM:!0,fatal:!0}))).decode(n)},decode(n){if(k(
"utf8",n),!Ve(n))throw new TypeError("utf8 expected well-formed string");return(e||(e=new TextEncoder)).encode(n)}};return{
encode:typeof TextDecoder=="function"?r.encode:De.encode,decode:typeof TextEncoder=="function"?r.decode:De.decode}}),nr=L(
()=>Dt(Xt(4),We("0123456789abcdef",{A:"a",B:"b",C:"c",D:"d",E:"e",F:"f"}),Wt(e=>{if(k("hex",e),e.length%2!==0)throw new TypeError(
`hex.decode: odd-length string (${e.length})`);return e})));var or=typeof Uint8Array.from([]).toHex=="function"&&typeof Uint8Array.fromHex=="function",ir={encode(e){return A(e),e.toHex()},
decode(e){return k("hex",e),Uint8Array.fromHex(e)}},z=L(()=>or?ir:nr);var sr=new Set(["__proto__","constructor","prototype"]),cr=(e,t)=>{if(typeof e!="string")throw new Error(`${t} should be\
 string, got ${typeof e}`);if(e.includes(".."))throw new TypeError(`${t} ${e} cannot contain path parent ..`);if(e.includes(
"/"))throw new TypeError(`${t} ${e} cannot contain path separator /`);if(sr.has(e))throw new Error(`${t} ${e} is reserve\
d`)};function he(e,t){if(e.length!==t.length)return!1;for(let r=0;r<e.length;r++)if(e[r]!==t[r])return!1;return!0}function Xe(e){
if(e.length===1){let r=e[0];return(n,i=0)=>{let o=n.indexOf(r,i);return o===-1?void 0:o}}let t=new Uint32Array(e.length);
for(let r=1,n=0;r<e.length;r++){for(;n&&e[r]!==e[n];)n=t[n-1];e[r]===e[n]&&(t[r]=++n)}return(r,n=0)=>{for(let i=n,o=0;i<
r.length;i++){for(;o&&r[i]!==e[o];)o=t[o-1];if(r[i]===e[o]&&++o===e.length)return i-e.length+1}}}var ar=(e,t,r=0)=>Xe(e)(
t,r);function E(e){return e instanceof Uint8Array||ArrayBuffer.isView(e)&&e.constructor.name==="Uint8Array"&&"BYTES_PER_ELEME\
NT"in e&&e.BYTES_PER_ELEMENT===1}function fr(...e){let t=0;for(let n=0;n<e.length;n++){let i=e[n];if(!E(i))throw new Error(
"Uint8Array expected");t+=i.length}let r=new Uint8Array(t);for(let n=0,i=0;n<e.length;n++){let o=e[n];r.set(o,i),i+=o.length}
return r}var ye=e=>new DataView(e.buffer,e.byteOffset,e.byteLength),X=BigInt(0),le=BigInt(1),G=BigInt(2),U=BigInt(8);var dr=BigInt(255);function C(e){return Object.prototype.toString.call(e)==="[object Object]"}function g(e){return Number.
isSafeInteger(e)}var Ge=Object.freeze({equalBytes:he,isBytes:E,isCoder:b,checkBounds:Ze,concatBytes:fr,createView:ye,isPlainObject:C}),Ye=e=>{
if(e!==null&&typeof e!="string"&&!b(e)&&!E(e)&&!g(e))throw new TypeError(`lengthCoder: expected null | number | Uint8Arr\
ay | CoderType, got ${e} (${typeof e})`);if(typeof e=="number"&&e<0)throw new Error(`lengthCoder: wrong length=${e}`);if(E(
e)&&!e.length)throw new Error("lengthCoder: empty terminator");return{encodeStream(t,r){if(e===null)return;if(b(e))return e.
encodeStream(t,r);let n;if(typeof e=="number"?n=e:typeof e=="string"&&(n=T.resolve(t.stack,e)),typeof n=="bigint"&&(n=Number(
n)),!g(n)||n<0||n!==r)throw t.err(`Wrong length: ${n} len=${e} exp=${r} (${typeof r})`)},decodeStream(t){let r;if(b(e)?r=
e.decodeStream(t):typeof e=="number"?r=e:typeof e=="string"&&(r=T.resolve(t.stack,e)),typeof r=="bigint")r=Number(r);else if(typeof r!=
"number")throw t.err(`Wrong length: ${r}`);if(!g(r)||r<0)throw t.err(`Wrong length: ${r}`);return r}}},y=Object.freeze({
BITS:32,FULL_MASK:-1>>>0,len:e=>{if(!g(e)||e<0)throw new Error(`wrong len=${e}`);return Math.ceil(e/32)},create:e=>new Uint32Array(
y.len(e)),clean:e=>e.fill(0),debug:e=>Array.from(e).map(t=>(t>>>0).toString(2).padStart(32,"0")),checkLen:(e,t)=>{if(y.len(
t)!==e.length)throw new Error(`wrong length=${e.length}. Expected: ${y.len(t)}`)},chunkLen:(e,t,r)=>{if(!g(e)||e<0)throw new Error(
`wrong bsLen=${e}`);if(!g(t)||t<0)throw new Error(`wrong pos=${t}`);if(!g(r)||r<0)throw new Error(`wrong len=${r}`);if(t>
e-r)throw new Error(`wrong range=${t}/${r} of ${e}`)},set:(e,t,r,n=!0)=>!g(t)||t<0||t>=e.length||!n&&(e[t]&r)!==0?!1:(e[t]|=
r,!0),pos:(e,t)=>({chunk:Math.floor((e+t)/32),mask:1<<32-(e+t)%32-1}),indices:(e,t,r=!1)=>{y.checkLen(e,t);let{FULL_MASK:n,
BITS:i}=y,o=i-t%i,s=o?n>>>o<<o:n,c=[];for(let a=0;a<e.length;a++){let f=e[a];if(r&&(f=~f),a===e.length-1&&(f&=s),f!==0)for(let u=0;u<
i;u++){let d=1<<i-u-1;f&d&&c.push(a*i+u)}}return c},range:e=>{let t=[],r;for(let n of e)r===void 0||n!==r.pos+r.length?t.
push(r={pos:n,length:1}):r.length+=1;return t},rangeDebug:(e,t,r=!1)=>`[${y.range(y.indices(e,t,r)).map(n=>`(${n.pos}/${n.
length})`).join(", ")}]`,setRange:(e,t,r,n,i=!0)=>{if(y.chunkLen(t,r,n),n===0)return!0;let{FULL_MASK:o,BITS:s}=y,c=r%s?Math.
floor(r/s):void 0,a=r+n,f=a%s?Math.floor(a/s):void 0,u=(w,l)=>w>=0&&w<e.length&&(e[w]&l)===0;if(!i)if(c!==void 0&&c===f){
if(!u(c,o>>>s-n<<s-n-r))return!1}else{if(c!==void 0&&!u(c,o>>>r%s))return!1;let w=c!==void 0?c+1:r/s,l=f!==void 0?f:a/s;
for(let p=w;p<l;p++)if(!u(p,o))return!1;if(f!==void 0&&c!==f&&!u(f,o<<s-a%s))return!1}if(c!==void 0&&c===f)return y.set(
e,c,o>>>s-n<<s-n-r,i);if(c!==void 0&&!y.set(e,c,o>>>r%s,i))return!1;let d=c!==void 0?c+1:r/s,h=f!==void 0?f:a/s;for(let w=d;w<
h;w++)if(!y.set(e,w,o,i))return!1;return!(f!==void 0&&c!==f&&!y.set(e,f,o<<s-a%s,i))}}),T=Object.freeze({pushObj:(e,t,r)=>{
e.push({obj:t}),r(),e.pop()},path:e=>{let t=[];for(let r of e)r.field!==void 0&&t.push(r.field===""?'""':`${r.field}`);return t.
join("/")},err:(e,t,r)=>{let n=`${e}(${T.path(t)}): ${typeof r=="string"?r:r.message}`,i=r instanceof TypeError?new TypeError(
n):r instanceof RangeError?new RangeError(n):new Error(n);if(r instanceof Error&&r.stack){let o=`${r.name}: ${r.message}`,
s=`${i.name}: ${i.message}`;i.stack=r.stack.startsWith(o)?`${s}${r.stack.slice(o.length)}`:r.stack}return i},resolve:(e,t)=>{
let r=t.split("/"),n=e.map(s=>s.obj),i=0;for(;i<r.length&&r[i]==="..";i++)n.pop();let o=n.pop();for(;i<r.length;i++){if(!o||
o[r[i]]===void 0)return;o=o[r[i]]}return o}}),pe=class e{pos=0;data;opts;stack;parent;parentOffset;bitBuf=0;bitPos=0;bs;view;constructor(t,r={},n=[],i=void 0,o=0){
if(!E(t))throw new TypeError(`Reader: expected Uint8Array, got ${typeof t}`);if(!C(r))throw new TypeError(`ReaderOpts: e\
xpected plain object, got ${r}`);if(r.allowUnreadBytes!==void 0&&typeof r.allowUnreadBytes!="boolean")throw new TypeError(
`ReaderOpts.allowUnreadBytes: expected boolean, got ${typeof r.allowUnreadBytes}`);if(r.allowMultipleReads!==void 0&&typeof r.
allowMultipleReads!="boolean")throw new TypeError(`ReaderOpts.allowMultipleReads: expected boolean, got ${typeof r.allowMultipleReads}`);
this.data=t,this.opts=r,this.stack=n,this.parent=i,this.parentOffset=o,this.view=ye(t)}_enablePointers(){if(this.parent)
return this.parent._enablePointers();this.bs||(this.bs=y.create(this.data.length),y.setRange(this.bs,this.data.length,0,
this.pos,this.opts.allowMultipleReads))}markBytesBS(t,r){return this.parent?this.parent.markBytesBS(this.parentOffset+t,
r):!r||!this.bs?!0:y.setRange(this.bs,this.data.length,t,r,!1)}markBytes(t){let r=this.pos,n=this.markBytesBS(r,t);if(!this.
opts.allowMultipleReads&&!n)throw this.err(`multiple read pos=${r} len=${t}`);return this.pos+=t,n}pushObj(t,r){return T.
pushObj(this.stack,t,r)}enterField(t){let r=this.stack[this.stack.length-1];if(r===void 0||r.field!==void 0)throw this.err(
`enterField: invalid stack state, field=${t}`);r.field=t}exitField(){this.stack[this.stack.length-1].field=void 0}readView(t,r){
if(!g(t)||t<0)throw this.err(`readView: wrong length=${t}`);if(this.pos+t>this.data.length)throw this.err("readView: Une\
xpected end of buffer");let n=r(this.view,this.pos);return this.markBytes(t),n}absBytes(t){if(!g(t)||t<0||t>this.data.length)
throw new Error("Unexpected end of buffer");return this.data.subarray(t)}finish(){if(!this.opts.allowUnreadBytes){if(this.
bitPos)throw this.err(`${this.bitPos} bits left after unpack: ${z.encode(this.data.subarray(this.pos))}`);if(this.bs&&!this.
parent){let t=y.indices(this.bs,this.data.length,!0);if(t.length){let r=y.range(t).map(({pos:n,length:i})=>`(${n}/${i})[${z.
encode(this.data.subarray(n,n+i))}]`).join(", ");throw this.err(`unread byte ranges: ${r} (total=${this.data.length})`)}else
return}if(!this.isEnd())throw this.err(`${this.leftBytes} bytes ${this.bitPos} bits left after unpack: ${z.encode(this.data.
subarray(this.pos))}`)}}err(t){return T.err("Reader",this.stack,t)}offsetReader(t){if(!g(t)||t<0||t>this.data.length)throw this.
err("offsetReader: Unexpected end of buffer");return new e(this.absBytes(t),this.opts,this.stack,this,t)}bytes(t,r=!1){if(this.
bitPos)throw this.err("readBytes: bitPos not empty");if(!g(t)||t<0)throw this.err(`readBytes: wrong length=${t}`);if(this.
pos+t>this.data.length)throw this.err("readBytes: Unexpected end of buffer");let n=this.data.subarray(this.pos,this.pos+
t);return r||this.markBytes(t),n}byte(t=!1){if(this.bitPos)throw this.err("readByte: bitPos not empty");if(this.pos+1>this.
data.length)throw this.err("readByte: Unexpected end of buffer");let r=this.data[this.pos];return t||this.markBytes(1),r}get leftBytes(){
return this.data.length-this.pos}get totalBytes(){return this.data.length}isEnd(){return this.pos>=this.data.length&&!this.
bitPos}progress(){return this.pos*8-this.bitPos}bits(t){if(!g(t)||t<0)throw this.err(`BitReader: wrong length=${t}`);if(t>
32)throw this.err("BitReader: cannot read more than 32 bits in single call");let r=0;for(;t;){this.bitPos||(this.bitBuf=
this.byte(),this.bitPos=8);let n=Math.min(t,this.bitPos);this.bitPos-=n,r=r<<n|this.bitBuf>>this.bitPos&2**n-1,this.bitBuf&=
2**this.bitPos-1,t-=n}return r>>>0}find(t,r=this.pos){if(!E(t))throw this.err(`find: needle is not bytes! ${t}`);if(this.
bitPos)throw this.err("find: bitPos not empty");if(!t.length)throw this.err("find: needle is empty");if(!g(r)||r<0)throw this.
err(`find: wrong pos=${r}`);return ar(t,this.data,r)}},we=class{pos=0;stack;buffers=[];chunks=[];chunk;chunkView;chunkPos=0;run;nextChunkSize=0;ptrs=[];bitBuf=0;bitPos=0;finished=!1;constructor(t=[]){
this.stack=t}carve(t){if(this.chunk===void 0||this.chunk.length-this.chunkPos<t){let n=Math.max(t,this.nextChunkSize,64);
this.nextChunkSize=Math.min(n*8,4096),this.chunk=new Uint8Array(n),this.chunkView=void 0,this.chunkPos=0,this.run=void 0,
this.chunks.push(this.chunk)}let r=this.chunkPos;return this.run===void 0?(this.run={chunk:this.chunk,start:r,end:r+t},this.
buffers.push(this.run)):this.run.end+=t,this.chunkPos=r+t,this.pos+=t,r}pushObj(t,r){return T.pushObj(this.stack,t,r)}enterField(t){
let r=this.stack[this.stack.length-1];if(r===void 0||r.field!==void 0)throw this.err(`enterField: invalid stack state, f\
ield=${t}`);r.field=t}exitField(){this.stack[this.stack.length-1].field=void 0}writeView(t,r){if(this.finished)throw this.
err("buffer: finished");if(!g(t)||t<0||t>8)throw new Error(`wrong writeView length=${t}`);if(this.bitPos)throw this.err(
"writeBytes: ends with non-empty bit buffer");let n=this.carve(t);this.chunkView===void 0&&(this.chunkView=ye(this.chunk)),
r(this.chunkView,n)}err(t){return T.err("Writer",this.stack,t)}bytes(t){if(this.finished)throw this.err("buffer: finishe\
d");if(this.bitPos)throw this.err("writeBytes: ends with non-empty bit buffer");if(!E(t))throw this.err(`writeBytes: exp\
ected Uint8Array, got ${typeof t}`);this.buffers.push(t),this.run=void 0,this.pos+=t.length}byte(t){if(this.finished)throw this.
err("buffer: finished");if(this.bitPos)throw this.err("writeByte: ends with non-empty bit buffer");if(!g(t)||t<0||t>255)
throw this.err(`writeByte: wrong value=${t}`);let r=this.carve(1);this.chunk[r]=t}finish(t=!0){if(this.finished)throw this.
err("buffer: finished");if(this.bitPos)throw this.err("buffer: ends with non-empty bit buffer");let r=this.buffers,n=0;for(let s=0;s<
r.length;s++){let c=r[s];n+=E(c)?c.length:c.end-c.start}for(let s=0;s<this.ptrs.length;s++)n+=this.ptrs[s].buffer.length;
let i=new Uint8Array(n),o=0;for(let s=0;s<r.length;s++){let c=r[s];E(c)?(i.set(c,o),o+=c.length):(i.set(c.chunk.subarray(
c.start,c.end),o),o+=c.end-c.start)}for(let s=0;s<this.ptrs.length;s++)i.set(this.ptrs[s].buffer,o),o+=this.ptrs[s].buffer.
length;for(let s=this.pos,c=0;c<this.ptrs.length;c++){let a=this.ptrs[c];i.set(a.ptr.encode(s),a.pos),s+=a.buffer.length}
if(t){for(let s of this.chunks)s.fill(0);this.chunks=[],this.chunk=void 0,this.chunkView=void 0,this.chunkPos=0,this.run=
void 0,this.buffers=[];for(let s of this.ptrs)s.buffer.fill(0);this.ptrs=[],this.finished=!0,this.bitBuf=0}return i}bits(t,r){
if(this.finished)throw this.err("buffer: finished");if(!g(r)||r<0)throw this.err(`writeBits: wrong length=${r}`);if(r>32)
throw this.err("writeBits: cannot write more than 32 bits in single call");if(!g(t)||t<0)throw this.err(`writeBits: wron\
g value=${t}`);if(t>=2**r)throw this.err(`writeBits: value (${t}) >= 2**bits (${r})`);for(;r;){let n=Math.min(r,8-this.bitPos);
if(this.bitBuf=this.bitBuf<<n|t>>r-n,this.bitPos+=n,r-=n,t&=2**r-1,this.bitPos===8){this.bitPos=0;let i=this.carve(1);this.
chunk[i]=this.bitBuf}}}},K=e=>Uint8Array.from(e).reverse();function ur(e,t,r,n){if(!e.length)return;let i=t?K(e):e,o=()=>{
throw n("bigint: non-minimal encoding")};if(!r){i[0]===0&&o();return}i[0]===0&&(i.length===1||(i[1]&128)===0)&&o(),i.length>
1&&i[0]===255&&(i[1]&128)!==0&&o()}function Ze(e,t,r){if(r){if(t<=X)throw new Error(`checkBounds: signed bits must be po\
sitive, got ${t}`);let n=G**(t-le);if(e<-n||e>=n)throw new Error(`value out of signed bounds. Expected ${-n} <= ${e} < ${n}`)}else{
let n=G**t;if(X>e||e>=n)throw new Error(`value out of unsigned bounds. Expected 0 <= ${e} < ${n}`)}}function qe(e){let t=e;
return{encodeStream:t.encodeStream,decodeStream:t.decodeStream,size:t.size,encode:r=>{let n=new we;return t.encodeStream(
n,r),n.finish()},decode:(r,n={})=>{if(!E(r))throw new TypeError(`decode: expected Uint8Array, got ${typeof r}`);let i=new pe(
r,n),o=t.decodeStream(i);return i.finish(),o}}}function Y(e,t){if(!b(e))throw new TypeError(`validate: invalid inner val\
ue ${e}`);if(typeof t!="function")throw new TypeError("validate: fn should be function");return qe({size:e.size,encodeStream:(r,n)=>{
let i;try{i=t(n)}catch(o){throw r.err(o)}e.encodeStream(r,i)},decodeStream:r=>{let n=e.decodeStream(r);try{return t(n)}catch(i){
throw r.err(i)}}})}var x=e=>{let t=e;if(!C(t))throw new TypeError(`wrap: invalid inner value ${t}`);if(typeof t.encodeStream!=
"function")throw new TypeError("wrap: encodeStream should be function");if(typeof t.decodeStream!="function")throw new TypeError(
"wrap: decodeStream should be function");if(t.size!==void 0&&(!g(t.size)||t.size<0))throw new TypeError(`wrap: invalid s\
ize ${t.size}`);if(t.validate!==void 0&&typeof t.validate!="function")throw new TypeError("wrap: validate should be func\
tion");let r=qe(t);return t.validate!==void 0?Y(r,t.validate):r},Qe=e=>C(e)&&typeof e.decode=="function"&&typeof e.encode==
"function";function b(e){return C(e)&&Qe(e)&&typeof e.encodeStream=="function"&&typeof e.decodeStream=="function"&&(e.size===
void 0||g(e.size)&&e.size>=0)}var me=(e,t=!1,r=!1,n=!0,i=!1)=>{if(!g(e)||e<=0)throw new Error(`bigint/size: wrong value ${e}`);if(typeof t!="boolean")
throw new Error(`bigint/le: expected boolean, got ${typeof t}`);if(typeof r!="boolean")throw new Error(`bigint/signed: e\
xpected boolean, got ${typeof r}`);if(typeof n!="boolean")throw new Error(`bigint/sized: expected boolean, got ${typeof n}`);
if(typeof i!="boolean")throw new Error(`bigint/minimal: expected boolean, got ${typeof i}`);let o=BigInt(e),s=G**(U*o-le);
return x({size:n?e:void 0,encodeStream:(c,a)=>{let f=a===X;r&&a<0&&(a=a|s);let u=new Uint8Array(e);for(let d=e-1;d>=0;d--)
u[d]=Number(a&dr),a>>=U;if(!n){let d=0;if(r){for(;d<u.length-1;d++){let h=u[d+1];if(!(u[d]===0&&(h&128)===0)&&!(u[d]===255&&
(h&128)!==0))break}u=f?u.subarray(u.length):u.subarray(d)}else{for(;d<u.length&&u[d]===0;d++);u=u.subarray(d)}}c.bytes(t?
u.reverse():u)},decodeStream:c=>{let a=c.bytes(n?e:Math.min(e,c.leftBytes));!n&&i&&ur(a,t,r,d=>c.err(d));let f=X;if(t)for(let d=a.
length-1;d>=0;d--)f=f<<U|BigInt(a[d]);else for(let d=0;d<a.length;d++)f=f<<U|BigInt(a[d]);let u=n||!a.length?s:G**(U*BigInt(
a.length)-le);return r&&f&u&&(f=(f^u)-u),f},validate:c=>{if(typeof c!="bigint")throw new Error(`bigint: invalid value: ${c}`);
return Ze(c,U*o,!!r),c}})};var be=Object.freeze(me(32,!1));var Je=Object.freeze(x({size:1,encodeStream:(e,t)=>e.byte(t?1:0),decodeStream:e=>{let t=e.byte();if(t!==0&&t!==1)throw e.
err(`bool: invalid value ${t}`);return t===1},validate:e=>{if(typeof e!="boolean")throw new TypeError(`bool: invalid val\
ue ${e}`);return e}})),j=(e,t=!1)=>{if(typeof t!="boolean")throw new TypeError(`bytes/le: expected boolean, got ${typeof t}`);
let r=Ye(e),n=E(e),i=n?Uint8Array.from(e):void 0,o=i&&i.length?Xe(i):void 0;return x({size:typeof e=="number"?e:void 0,encodeStream:(s,c)=>{
n||r.encodeStream(s,c.length),s.bytes(t?K(c):c),i&&s.bytes(i)},decodeStream:s=>{let c;if(i){let a=s.find(i);if(a===void 0)
throw s.err("bytes: cannot find terminator");c=s.bytes(a-s.pos),s.bytes(i.length)}else c=s.bytes(e===null?s.leftBytes:r.
decodeStream(s));return t?K(c):c},validate:s=>{if(!E(s))throw new TypeError(`bytes: invalid value ${s}`);if(o){let c=t?K(
s):s;if(o(c)!==void 0)throw new Error("bytes: value contains terminator")}return s}})};var et=(e,t=!1)=>Y(ge(j(e,t),Ke),r=>{if(typeof r!="string")throw new Error(`expected string, got ${typeof r}`);return r});var tt=(e,t={isLE:!1,with0x:!1})=>{let r=t.isLE===void 0?!1:t.isLE,n=t.with0x===void 0?!1:t.with0x;if(typeof r!="boolean")
throw new Error(`hex/isLE: expected boolean, got ${typeof r}`);if(typeof n!="boolean")throw new Error(`hex/with0x: expec\
ted boolean, got ${typeof n}`);let i=ge(j(e,r),z);return n&&(i=ge(i,{encode:o=>`0x${o}`,decode:o=>{if(!o.startsWith("0x"))
throw new Error("hex(with0x=true).encode input should start with 0x");return o.slice(2)}})),i};function ge(e,t){if(!b(e))
throw new TypeError(`apply: invalid inner value ${e}`);if(!Qe(t))throw new TypeError(`apply: invalid base value ${t}`);return x(
{size:e.size,encodeStream:(r,n)=>{let i;try{i=t.decode(n)}catch(o){throw r.err(""+o)}return e.encodeStream(r,i)},decodeStream:r=>{
let n=e.decodeStream(r);try{return t.encode(n)}catch(i){throw r.err(""+i)}}})}function rt(e){let t=0;for(let r of e){if(r.size===void 0)return;if(!g(r.size))throw new Error(`sizeof: wrong element si\
ze=${r.size}`);t+=r.size}return t}function xe(e){if(!C(e))throw new TypeError(`struct: expected plain object, got ${e}`);
let t=[];for(let r in e){if(cr(r,"struct: field"),!b(e[r]))throw new TypeError(`struct: field ${r} is not CoderType`);t.
push(e[r])}return x({size:rt(t),encodeStream:(r,n)=>{let i=r;i.pushObj(n,()=>{for(let o in e)i.enterField(o),e[o].encodeStream(
r,n[o]),i.exitField()})},decodeStream:r=>{let n={},i=r;return i.pushObj(n,()=>{for(let o in e)i.enterField(o),n[o]=e[o].
decodeStream(r),i.exitField()}),n},validate:r=>{if(typeof r!="object"||r===null)throw new Error(`struct: invalid value ${r}`);
return r}})}function Ee(e){if(!Array.isArray(e))throw new TypeError(`Packed.Tuple: got ${typeof e} instead of array`);for(let t=0;t<
e.length;t++)if(!b(e[t]))throw new TypeError(`tuple: field ${t} is not CoderType`);return x({size:rt(e),encodeStream:(t,r)=>{
if(!Array.isArray(r))throw t.err(`tuple: invalid value ${r}`);let n=t;n.pushObj(r,()=>{for(let i=0;i<e.length;i++)n.enterField(
i),e[i].encodeStream(t,r[i]),n.exitField()})},decodeStream:t=>{let r=[],n=t;return n.pushObj(r,()=>{for(let i=0;i<e.length;i++)
n.enterField(i),r.push(e[i].decodeStream(t)),n.exitField()}),r},validate:t=>{if(!Array.isArray(t))throw new Error(`tuple\
: invalid value ${t}`);if(t.length!==e.length)throw new Error(`tuple: wrong length=${t.length}, expected ${e.length}`);return t}})}
function Z(e,t){if(!b(t))throw new TypeError(`array: invalid inner value ${t}`);let r=E(e)?Uint8Array.from(e):void 0,n=Ye(
typeof e=="string"?`../${e}`:r||e);if(e===null&&t.size===0)throw new Error("array: null length cannot use zero-size inne\
r");if((b(e)||typeof e=="string")&&t.size===0)throw new Error("array: dynamic length cannot use zero-size inner");return x(
{size:typeof e=="number"&&t.size!==void 0?e*t.size:void 0,encodeStream:(i,o)=>{let s=i;s.pushObj(o,()=>{r||n.encodeStream(
i,o.length);for(let c=0;c<o.length;c++){s.enterField(c);let a=o[c],f=s.pos;if(t.encodeStream(i,a),r&&r.length<=s.pos-f){
let u=s.finish(!1).subarray(f,s.pos);if(he(u.subarray(0,r.length),r))throw s.err(`array: inner element encoding same as \
separator. elm=${a} data=${u}`)}s.exitField()}}),r&&i.bytes(r)},decodeStream:i=>{let o=[],s=i;return s.pushObj(o,()=>{if(e===
null)for(let c=0;!i.isEnd();c++){s.enterField(c);let a=s.progress();if(o.push(t.decodeStream(i)),s.progress()===a)throw i.
err("array: inner decoder did not consume input");if(s.exitField(),t.size&&i.leftBytes<t.size)break}else if(r)for(let c=0;;c++){
if(he(i.bytes(r.length,!0),r)){i.bytes(r.length);break}s.enterField(c);let a=s.progress();if(o.push(t.decodeStream(i)),s.
progress()===a)throw i.err("array: inner decoder did not consume input");s.exitField()}else{s.enterField("arrayLen");let c=n.
decodeStream(i);if(s.exitField(),t.size&&c*t.size>i.leftBytes)throw i.err(`array: length=${c} elements of size=${t.size}\
 exceed ${i.leftBytes} bytes left`);for(let a=0;a<c;a++)s.enterField(a),o.push(t.decodeStream(i)),s.exitField()}}),o},validate:i=>{
if(!Array.isArray(i))throw new Error(`array: invalid value ${i}`);return i}})}var B=e=>0;function R(e,t){if(!g(t)||t<0)throw new Error(`padLength: wrong length=${t}`);return t%e===0?0:e-t%e}function nt(e,t,r,n){
let i=t(r);if(!g(i)||i<0||i>255)throw n(`${e}: wrong padding byte at ${r}: ${i}`);return i}function ot(e,t,r,n){for(let i=0;i<
n;i++)t.byte(nt(e,r,i,o=>t.err(o)))}function it(e,t,r,n){let i=t.bytes(n);for(let o=0;o<i.length;o++){let s=nt(e,r,o,c=>t.
err(c));if(i[o]!==s)throw t.err(`${e}: invalid padding byte at ${o}: ${i[o]} !== ${s}`)}}function st(e,t,r){if(!g(e)||e<=
0)throw new TypeError(`padLeft: wrong blockSize=${e}`);if(!b(t))throw new TypeError(`padLeft: invalid inner value ${t}`);
if(r!==void 0&&typeof r!="function")throw new TypeError(`padLeft: wrong padFn=${typeof r}`);let n=r||B;if(t.size===void 0)
throw new Error("padLeft cannot have dynamic size");let i=t.size;return x({size:i+R(e,i),encodeStream:(o,s)=>{let c=R(e,
i);ot("padLeft",o,n,c),t.encodeStream(o,s)},decodeStream:o=>(it("padLeft",o,n,R(e,i)),t.decodeStream(o))})}function q(e,t,r){
if(!b(t))throw new TypeError(`padRight: invalid inner value ${t}`);if(!g(e)||e<=0)throw new TypeError(`padRight: wrong b\
lockSize=${e}`);if(r!==void 0&&typeof r!="function")throw new TypeError(`padRight: wrong padFn=${typeof r}`);let n=r||B,
i=t.size;return x({size:i===void 0?void 0:i+R(e,i),encodeStream:(o,s)=>{let c=o,a=c.pos;t.encodeStream(o,s);let f=R(e,c.
pos-a);ot("padRight",o,n,f)},decodeStream:o=>{let s=o.pos,c=t.decodeStream(o);return it("padRight",o,n,R(e,o.pos-s)),c}})}
function P(e,t,r=!1){if(!b(e))throw new TypeError(`pointer: invalid ptr value ${e}`);if(!b(t))throw new TypeError(`point\
er: invalid inner value ${t}`);if(typeof r!="boolean")throw new TypeError(`pointer/sized: expected boolean, got ${typeof r}`);
if(!e.size)throw new Error("unsized pointer");return x({size:r?e.size:void 0,encodeStream:(n,i)=>{let o=n,s=o.pos;e.encodeStream(
n,0),o.ptrs.push({pos:s,ptr:e,buffer:t.encode(i)})},decodeStream:n=>{let i=e.decodeStream(n);return n._enablePointers(),
t.decodeStream(n.offsetReader(i))}})}function ct(e,t,r=()=>{}){if(!Array.isArray(e))throw new TypeError(`"${t}" expected array, got type=${typeof e}`);for(let n=0;n<
e.length;n++)r(e[n],`${t}[${n}]`);return e}function at(e,t=""){if(typeof e!="string"){let r=t&&`"${t}" `;throw new TypeError(
r+"expected string, got type="+typeof e)}return e}var ft=M;var dt=/^0[xX]/;function $e(e,t="hex"){return at(e,t),dt.test(e)?e:`0x${e}`}function ut(e,t="hex"){return at(e,t),e.replace(
dt,"")}var lr=255;var zr=new Array(lr+1);var pt=/(.+)(\[(\d+)?\])$/;function ht(e){return st(32,e,B)}var pr=BigInt(Number.MAX_SAFE_INTEGER),wt=x({size:32,encodeStream:(e,t)=>{
if(!Number.isSafeInteger(t)||t<0)throw new Error(`ABI word: expected safe uint, got ${t}`);be.encodeStream(e,BigInt(t))},
decodeStream:e=>{let t=be.decodeStream(e);if(t>pr)throw new Error(`ABI word: expected safe uint, got ${t}`);return Number(
t)}}),F=wt,ee=wt;function wr(e){return x({size:void 0,encodeStream:(t,r)=>{ee.encodeStream(t,r.length),t.bytes(Z(r.length,
e).encode(r))},decodeStream:t=>Z(ee.decodeStream(t),e).decodeStream(t.offsetReader(t.pos))})}var gr=(e,t=!1)=>{if(!Number.
isSafeInteger(e)||e<=0||e%8!==0||e>256)throw new Error("ethInt: invalid numeric type");let r=BigInt(e),n=me(32,!1,t);return Y(
x({size:n.size,encodeStream:(i,o)=>n.encodeStream(i,o),decodeStream:i=>n.decodeStream(i)}),i=>{if(typeof i=="number"){if(!Number.
isSafeInteger(i))throw new Error(`ethInt: expected safe integer, got ${i}`);i=BigInt(i)}return Ge.checkBounds(i,r,!!t),i})};
function yr(e){let t=!1;if(Array.isArray(e))for(let r of e)r.size===void 0&&(t=!0);else for(let r in e)e[r].size===void 0&&
(t=!0);return t}var lt=128;function Q(e){return J(e,0)}function J(e,t){if(t>lt)throw new RangeError(`mapComponent: schem\
a too deep, limit is ${lt}`);let r;if(r=pt.exec(e.type)){let n=J({...e,type:r[1]},t+1);if(n.size===0)throw new Error("ma\
pComponent: arrays of zero-size elements disabled (possible DoS attack)");if(r[3]!==void 0){let i=Number.parseInt(r[3]);
if(!Number.isSafeInteger(i))throw new Error(`mapComponent: wrong array size=${r[3]}`);let o=Z(i,n);return n.size===void 0&&
(o=P(F,o)),o}else return P(F,wr(n))}if(e.type==="tuple"){let n=e.components;if(!n||!n.length)throw new Error("mapCompone\
nt: zero-size tuple disabled");let i=!0,o=[];for(let c of n)c.name||(i=!1),o.push(J(c,t+1));let s;if(i){let c=Object.create(
null);for(let a=0;a<n.length;a++){let f=n[a];if(Object.hasOwn(c,f.name))throw new Error(`mapType: same field name=${f.name}`);
c[f.name]=o[a]}s=xe(c)}else s=Ee(o);return yr(o)&&(s=P(F,s)),s}if(e.type==="string")return P(F,q(32,et(ee),B));if(e.type===
"bytes")return P(F,q(32,j(ee),B));if(e.type==="function")return J({...e,type:"bytes24"},t+1);if(e.type==="address")return ht(
tt(20,{isLE:!1,with0x:!0}));if(e.type==="bool")return ht(Je);if(r=/^(u?)int([0-9]+)?$/.exec(e.type))return gr(r[2]?+r[2]:
256,r[1]!=="u");if(r=/^bytes([0-9]{1,2})$/.exec(e.type)){let n=+r[1];if(!n||n>32)throw new Error("wrong bytes<N> type");
return q(32,j(n),B)}throw new Error(`mapComponent: unknown component=${e}`)}function Se(e){if(e.length===1)return Q(e[0]);
let t=!0;for(let r of e)r.name||(t=!1);if(t){let r=Object.create(null);for(let n of e){let i=n.name;if(Object.hasOwn(r,i))
throw new Error(`mapArgs: same field name=${i}`);r[i]=Q(n)}return xe(r)}else return Ee(e.map(Q))}var mr=/^(u?int)((?:\[\d*\])*)$/;function te(e){if(!e.type)throw new Error("ABI.fnSignature wrong argument");if(e.type===
"function"||e.type==="event"||e.type==="error")return`${e.name||"function"}(${(e.inputs||[]).map(t=>te(t)).join(",")})`;
if(e.type.startsWith("tuple")){if(!e.components||!e.components.length)throw new Error("ABI.fnSignature wrong tuple");return`\
(${e.components.map(t=>te(t)).join(",")})${e.type.slice(5)}`}if(e.type==="uint"||e.type==="int"||e.type.startsWith("uint\
[")||e.type.startsWith("int[")){let t=mr.exec(e.type);if(t)return`${t[1]}256${t[2]}`}return e.type}function br(e){return _(
de(ke(te(e))))}function xr(e){return br(e).slice(0,8)}function gt(e,t,r){ct(e,"abi");let n={};for(let o of e){if(o.type!=="function")continue;let s=o.name||"function";n[s]?n[s]++:
n[s]=1}let i={};for(let o of e){if(o.type!=="function")continue;let s=o.name||"function";n[s]>1&&(s=te(o));let c=xr(o),a=o.
inputs&&o.inputs.length?Se(o.inputs):void 0,f=o.outputs?Se(o.outputs):void 0,u=h=>{if(f&&!ft(h))throw new TypeError('"b"\
 expected Uint8Array, got type='+typeof h);return f&&f.decode(h)},d=h=>W(N(c),a?a.encode(h):Uint8Array.of());i[s]={decodeOutput:u,
encodeInput:d},t&&(i[s].call=async(h,w={})=>{if(!r&&!w.to)throw new Error("No contract address");let l=$e(_(d(h))),p=Object.
assign({to:r,data:l},w);return u(N(ut(await t.ethCall(p))))},i[s].estimateGas=async(h,w={})=>{if(!r&&!w.to)throw new Error(
"No contract address");let l=$e(_(d(h))),p=Object.assign({to:r,data:l},w);return await t.estimateGas(p)})}return i}var Er=/^[A-Za-z_$][A-Za-z0-9_$]*$/,$r=/^(?:\[\d*\])*/,Sr=new Set(["memory","calldata","storage","payable"]),Ar=new Set(
["public","external","virtual","override"]),Tr=new Set(["pure","view","payable","nonpayable"]),yt=16384,mt=128;function Br(e){
let t=e.replace(/(?:\[\d*\])+$/,"");if(["address","bool","string","bytes","function"].includes(t))return;let r=t.match(/^bytes(\d+)$/);
if(!(r&&+r[1]>=1&&+r[1]<=32)&&(r=t.match(/^u?int(\d+)$/),!(r&&+r[1]>=8&&+r[1]<=256&&+r[1]%8===0)))throw new Error(`parse\
Abi: unknown type "${e}" (struct references are not supported, use an inline tuple)`)}function _r(e){let t=e.match(/^(u?int)((?:\[\d*\])*)$/);
return t?`${t[1]}256${t[2]}`:e}function re(e,t){let r=0;for(let n=t;n<e.length;n++)if(e[n]==="(")r++;else if(e[n]===")"&&
--r===0)return n;throw new Error(`parseAbi: unbalanced parentheses in "${e}"`)}function ne(e){let t=[],r=0,n=0;for(let o=0;o<
e.length;o++){let s=e[o];if(s==="(")r++;else if(s===")"){if(--r<0)throw new Error(`parseAbi: unbalanced parentheses in "${e}\
"`)}else s===","&&r===0&&(t.push(e.slice(n,o)),n=o+1)}if(r!==0)throw new Error(`parseAbi: unbalanced parentheses in "${e}\
"`);t.push(e.slice(n));let i=t.map(o=>o.trim());if(i.length===1&&i[0]==="")return[];if(i.some(o=>o===""))throw new Error(
`parseAbi: empty parameter in "${e}"`);return i}function bt(e,t,r){let n=!1,i;for(let o of e)if(o==="indexed"){if(!t)throw new Error(
`parseAbi: "indexed" outside of event in "${r}"`);if(n||i!==void 0)throw new Error(`parseAbi: wrong parameter "${r}"`);n=
!0}else if(Sr.has(o)){if(i!==void 0)throw new Error(`parseAbi: wrong parameter "${r}"`)}else if(Er.test(o)){if(i!==void 0)
throw new Error(`parseAbi: two names in parameter "${r}"`);i=o}else throw new Error(`parseAbi: wrong token "${o}" in "${r}\
"`);return{indexed:n,name:i}}function oe(e,t,r=0){if(r>mt)throw new RangeError(`parseAbi: schema too deep, limit is ${mt}`);
if(e=e.trim(),e=e.replace(/^address\s+payable(?=\[)/,"address"),e.startsWith("(")){let a=re(e,0),f=ne(e.slice(1,a)).map(
m=>oe(m,!1,r+1));if(!f.length)throw new Error(`parseAbi: empty tuple in "${e}"`);let u=e.slice(a+1),d=u.match($r)[0],h=u.
slice(d.length).trim(),{indexed:w,name:l}=bt(h?h.split(/\s+/):[],t,e),p={type:`tuple${d}`,components:f};return l!==void 0&&
(p.name=l),w&&(p.indexed=!0),p}let n=e.split(/\s+/).filter(a=>a!=="");if(!n.length)throw new Error(`parseAbi: empty para\
meter in "${e}"`);let i=_r(n[0]);Br(i);let{indexed:o,name:s}=bt(n.slice(1),t,e),c={type:i};return s!==void 0&&(c.name=s),
o&&(c.indexed=!0),c}function Ae(e,t){let r;for(let n of e.split(/\s+/).filter(i=>i!==""))if(Tr.has(n)){if(r!==void 0)throw new Error(
`parseAbi: two mutability modifiers in "${t}"`);r=n}else if(!Ar.has(n))throw new Error(`parseAbi: wrong modifier "${n}" \
in "${t}"`);return r!==void 0?{stateMutability:r}:{}}function xt(e){if(typeof e!="string")throw new TypeError('"signatur\
e" expected string, got type='+typeof e);if(e.length>yt)throw new RangeError(`parseAbi: signature too long, limit is ${yt}\
 characters`);let t=e.trim(),r;if(r=t.match(/^(fallback|receive)\s*\(\s*\)\s*(.*)$/)){let d=Ae(r[2].replace(/\bexternal\b/g,
" "),t);return{type:r[1],...d}}if(r=t.match(/^constructor\s*\(/)){let d=t.indexOf("("),h=re(t,d),w=ne(t.slice(d+1,h)).map(
m=>oe(m,!1)),p={type:"constructor",...Ae(t.slice(h+1),t)};return w.length&&(p.inputs=w),p}if(!(r=t.match(/^(function|event|error)\s+([A-Za-z_$][A-Za-z0-9_$]*)\s*\(/)))
throw new Error(`parseAbi: wrong signature "${t}"`);let n=r[1],i=r[2],o=t.indexOf("(",r[1].length),s=re(t,o),c=ne(t.slice(
o+1,s)).map(d=>oe(d,n==="event")),a=t.slice(s+1).trim(),f={type:n,name:i};if(n==="event"){if(a==="anonymous"&&(f.anonymous=
!0,a=""),a!=="")throw new Error(`parseAbi: wrong event trailer "${a}"`);return f.inputs=c,f}if(n==="error"){if(a!=="")throw new Error(
`parseAbi: wrong error trailer "${a}"`);return c.length&&(f.inputs=c),f}let u=a.search(/\breturns\b/);if(u>=0){let d=a.slice(
u+7).trim();if(a=a.slice(0,u),!d.startsWith("(")||re(d,0)!==d.length-1)throw new Error(`parseAbi: wrong returns clause i\
n "${t}"`);let h=ne(d.slice(1,-1)).map(w=>oe(w,!1));h.length&&(f.outputs=h)}return Object.assign(f,Ae(a,t)),c.length&&(f.
inputs=c),f}var Ir=gt;export{tr as base58,_ as bytesToHex,W as concatBytes,Ir as createContract,N as hexToBytes,de as keccak_256,xt as parseAbiItem};
