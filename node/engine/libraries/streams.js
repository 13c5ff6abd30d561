/* Made by build.mjs, not by hand. Contains:

web-streams-polyfill 4.3.0:

The MIT License (MIT)

Copyright (c) 2026 Mattias Buelens
Copyright (c) 2016 Diwank Singh Tomer

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
*/
(() => {
const hidden_abortAlgorithm=Symbol("abortAlgorithm"),
hidden_abortController=Symbol("abortController"),
hidden_abortReason=Symbol("abortReason"),
hidden_associatedReadableByteStreamController=Symbol("associatedReadableByteStreamController"),
hidden_asyncIteratorImpl=Symbol("asyncIteratorImpl"),
hidden_autoAllocateChunkSize=Symbol("autoAllocateChunkSize"),
hidden_back=Symbol("back"),
hidden_backpressure=Symbol("backpressure"),
hidden_backpressureChangePromise=Symbol("backpressureChangePromise"),
hidden_backpressureChangePromise_resolve=Symbol("backpressureChangePromise_resolve"),
hidden_byobRequest=Symbol("byobRequest"),
hidden_byteLengthQueuingStrategyHighWaterMark=Symbol("byteLengthQueuingStrategyHighWaterMark"),
hidden_cancelAlgorithm=Symbol("cancelAlgorithm"),
hidden_chunkSteps=Symbol("chunkSteps"),
hidden_closeAlgorithm=Symbol("closeAlgorithm"),
hidden_closeRequest=Symbol("closeRequest"),
hidden_closeRequested=Symbol("closeRequested"),
hidden_closeSteps=Symbol("closeSteps"),
hidden_closedPromise=Symbol("closedPromise"),
hidden_closedPromiseState=Symbol("closedPromiseState"),
hidden_closedPromise_reject=Symbol("closedPromise_reject"),
hidden_closedPromise_resolve=Symbol("closedPromise_resolve"),
hidden_controlledReadableByteStream=Symbol("controlledReadableByteStream"),
hidden_controlledReadableStream=Symbol("controlledReadableStream"),
hidden_controlledTransformStream=Symbol("controlledTransformStream"),
hidden_controlledWritableStream=Symbol("controlledWritableStream"),
hidden_countQueuingStrategyHighWaterMark=Symbol("countQueuingStrategyHighWaterMark"),
hidden_currentWrite=Symbol("currentWrite"),
hidden_cursor=Symbol("cursor"),
hidden_disturbed=Symbol("disturbed"),
hidden_elements=Symbol("elements"),
hidden_errorSteps=Symbol("errorSteps"),
hidden_finishPromise=Symbol("finishPromise"),
hidden_finishPromise_reject=Symbol("finishPromise_reject"),
hidden_finishPromise_resolve=Symbol("finishPromise_resolve"),
hidden_flushAlgorithm=Symbol("flushAlgorithm"),
hidden_front=Symbol("front"),
hidden_inFlightCloseRequest=Symbol("inFlightCloseRequest"),
hidden_inFlightWriteRequest=Symbol("inFlightWriteRequest"),
hidden_isFinished=Symbol("isFinished"),
hidden_iterator=Symbol("iterator"),
hidden_next=Symbol("next"),
hidden_nextSteps=Symbol("nextSteps"),
hidden_ongoingPromise=Symbol("ongoingPromise"),
hidden_ownerReadableStream=Symbol("ownerReadableStream"),
hidden_ownerWritableStream=Symbol("ownerWritableStream"),
hidden_pendingAbortRequest=Symbol("pendingAbortRequest"),
hidden_pendingPullIntos=Symbol("pendingPullIntos"),
hidden_preventCancel=Symbol("preventCancel"),
hidden_promise=Symbol("promise"),
hidden_pullAgain=Symbol("pullAgain"),
hidden_pullAlgorithm=Symbol("pullAlgorithm"),
hidden_pulling=Symbol("pulling"),
hidden_queue=Symbol("queue"),
hidden_queueTotalSize=Symbol("queueTotalSize"),
hidden_readIntoRequests=Symbol("readIntoRequests"),
hidden_readRequests=Symbol("readRequests"),
hidden_readable=Symbol("readable"),
hidden_readableStreamController=Symbol("readableStreamController"),
hidden_reader=Symbol("reader"),
hidden_readyPromise=Symbol("readyPromise"),
hidden_readyPromiseState=Symbol("readyPromiseState"),
hidden_readyPromise_reject=Symbol("readyPromise_reject"),
hidden_readyPromise_resolve=Symbol("readyPromise_resolve"),
hidden_reason=Symbol("reason"),
hidden_reject=Symbol("reject"),
hidden_rejectPromise=Symbol("rejectPromise"),
hidden_resolve=Symbol("resolve"),
hidden_resolvePromise=Symbol("resolvePromise"),
hidden_returnSteps=Symbol("returnSteps"),
hidden_shuttingDown=Symbol("shuttingDown"),
hidden_size=Symbol("size"),
hidden_started=Symbol("started"),
hidden_state=Symbol("state"),
hidden_storedError=Symbol("storedError"),
hidden_strategyHWM=Symbol("strategyHWM"),
hidden_strategySizeAlgorithm=Symbol("strategySizeAlgorithm"),
hidden_transformAlgorithm=Symbol("transformAlgorithm"),
hidden_transformStreamController=Symbol("transformStreamController"),
hidden_view=Symbol("view"),
hidden_waitForWritesToFinish=Symbol("waitForWritesToFinish"),
hidden_wasAlreadyErroring=Symbol("wasAlreadyErroring"),
hidden_writable=Symbol("writable"),
hidden_writableStreamController=Symbol("writableStreamController"),
hidden_writeAlgorithm=Symbol("writeAlgorithm"),
hidden_writeRequests=Symbol("writeRequests"),
hidden_writer=Symbol("writer");
var library=(()=>{var __defProp=Object.defineProperty;var __getOwnPropDesc=Object.getOwnPropertyDescriptor;var __getOwnPropNames=Object.getOwnPropertyNames;var __hasOwnProp=Object.prototype.hasOwnProperty;var __export=(target,all)=>{for(var name in all)__defProp(target,name,{get:all[name],enumerable:!0})},__copyProps=(to2,from,except,desc)=>{
if(from&&typeof from=="object"||typeof from=="function")for(let key of __getOwnPropNames(from))!__hasOwnProp.call(to2,key)&&
key!==except&&__defProp(to2,key,{get:()=>from[key],enumerable:!(desc=__getOwnPropDesc(from,key))||desc.enumerable});return to2};var __toCommonJS=mod=>__copyProps(__defProp({},"__esModule",{value:!0}),mod);var stdin_exports={};__export(stdin_exports,{ByteLengthQueuingStrategy:()=>ByteLengthQueuingStrategy,CountQueuingStrategy:()=>CountQueuingStrategy,
ReadableByteStreamController:()=>ReadableByteStreamController,ReadableStream:()=>ReadableStream,ReadableStreamBYOBReader:()=>ReadableStreamBYOBReader,
ReadableStreamBYOBRequest:()=>ReadableStreamBYOBRequest,ReadableStreamDefaultController:()=>ReadableStreamDefaultController,
ReadableStreamDefaultReader:()=>ReadableStreamDefaultReader,TransformStream:()=>TransformStream,TransformStreamDefaultController:()=>TransformStreamDefaultController,
WritableStream:()=>WritableStream,WritableStreamDefaultController:()=>WritableStreamDefaultController,WritableStreamDefaultWriter:()=>WritableStreamDefaultWriter,
isDisturbed:()=>isDisturbed});function e(){}function t(e2){return typeof e2=="object"&&e2!==null||typeof e2=="function"}var r=e;function o(e2,t2){try{
Object.defineProperty(e2,"name",{value:t2,configurable:!0})}catch{}}var n=Promise,i=Promise.resolve.bind(n),a=Promise.prototype.
then,s=Promise.reject.bind(n),l=i;function u(e2){return new n(e2)}function c(e2){return u(t2=>t2(e2))}function d(e2){return s(
e2)}function f(e2,t2,r2){return a.call(e2,t2,r2)}function h(e2,t2,o2){f(f(e2,t2,o2),void 0,r)}function b(e2,t2){h(e2,t2)}
function _(e2,t2){h(e2,void 0,t2)}function m(e2,t2,r2){return f(e2,t2,r2)}function p(e2){f(e2,void 0,r)}var y=e2=>{if(typeof queueMicrotask==
"function")y=queueMicrotask;else{let e3=c(void 0);y=t2=>f(e3,t2)}return y(e2)};function S(e2,t2,r2){if(typeof e2!="function")throw new TypeError("Argument is not a function");return Function.prototype.apply.call(e2,t2,r2)}function g(e2,t2,r2){
try{return c(S(e2,t2,r2))}catch(e3){return d(e3)}}var v=class{constructor(){this[hidden_cursor]=0,this[hidden_size]=0,this[hidden_front]={[hidden_elements]:[],
[hidden_next]:void 0},this[hidden_back]=this[hidden_front],this[hidden_cursor]=0,this[hidden_size]=0}get length(){return this[hidden_size]}push(e2){let t2=this[hidden_back],
r2=t2;t2[hidden_elements].length===16383&&(r2={[hidden_elements]:[],[hidden_next]:void 0}),t2[hidden_elements].push(e2),r2!==t2&&(this[hidden_back]=r2,t2[hidden_next]=
r2),++this[hidden_size]}shift(){let e2=this[hidden_front],t2=e2,r2=this[hidden_cursor],o2=r2+1,n2=e2[hidden_elements],i2=n2[r2];return o2===16384&&(t2=
e2[hidden_next],o2=0),--this[hidden_size],this[hidden_cursor]=o2,e2!==t2&&(this[hidden_front]=t2),n2[r2]=void 0,i2}forEach(e2){let t2=this[hidden_cursor],r2=this[hidden_front],o2=r2[hidden_elements];for(;!(t2===o2.length&&r2[hidden_next]===void 0||t2===o2.length&&(r2=r2[hidden_next],o2=r2[hidden_elements],t2=0,o2.length===
0));)e2(o2[t2]),++t2}peek(){let e2=this[hidden_front],t2=this[hidden_cursor];return e2[hidden_elements][t2]}},w=Symbol("[[AbortSteps]]"),R=Symbol(
"[[ErrorSteps]]"),T=Symbol("[[CancelSteps]]"),P=Symbol("[[PullSteps]]"),C=Symbol("[[CanPullSyncSteps]]"),q=Symbol("[[ReleaseSteps]]");function E(e2,t2){e2[hidden_ownerReadableStream]=t2,t2[hidden_reader]=e2,t2[hidden_state]==="readable"?j(e2):t2[hidden_state]==="closed"?(function(e3){j(e3),z(e3)})(e2):k(e2,t2[hidden_storedError])}function W(e2,t2){return Mr(e2[hidden_ownerReadableStream],t2)}function O(e2){
let t2=e2[hidden_ownerReadableStream];t2[hidden_state]==="readable"?A(e2,new TypeError("Reader was released and can no longer be used to monitor the stream's closedness")):(function(e3,t3){k(e3,t3)})(e2,new TypeError("Reader was released and can no longer be used to monitor the stream's closedness")),t2[hidden_readableStreamController][q](),t2[hidden_reader]=void 0,e2[hidden_ownerReadableStream]=
void 0}function B(e2){return new TypeError("Cannot "+e2+" a stream using a released reader")}function j(e2){e2[hidden_closedPromise]=
u((t2,r2)=>{e2[hidden_closedPromise_resolve]=t2,e2[hidden_closedPromise_reject]=r2})}function k(e2,t2){j(e2),A(e2,t2)}function A(e2,t2){
e2[hidden_closedPromise_reject]!==void 0&&(p(e2[hidden_closedPromise]),e2[hidden_closedPromise_reject](t2),e2[hidden_closedPromise_resolve]=void 0,e2[hidden_closedPromise_reject]=void 0)}function z(e2){e2[hidden_closedPromise_resolve]!==void 0&&(e2[hidden_closedPromise_resolve](void 0),e2[hidden_closedPromise_resolve]=
void 0,e2[hidden_closedPromise_reject]=void 0)}var D=Number.isFinite||function(e2){return typeof e2=="number"&&isFinite(e2)},F=Math.
trunc||function(e2){return e2<0?Math.ceil(e2):Math.floor(e2)};function L(e2,t2){if(e2!==void 0&&typeof(r2=e2)!="object"&&
typeof r2!="function")throw new TypeError(`${t2} is not an object.`);var r2}function I(e2,t2){if(typeof e2!="function")throw new TypeError(
`${t2} is not a function.`)}function $(e2,t2){if(!(function(e3){return typeof e3=="object"&&e3!==null||typeof e3=="function"})(e2))throw new TypeError(`${t2} is not an object.`)}function M(e2,t2,r2){if(e2===void 0)throw new TypeError(`Parameter ${t2} is required in '${r2}'.`)}function Y(e2,t2,r2){if(e2===void 0)throw new TypeError(`${t2} is required in '${r2}'.`)}function x(e2){return Number(e2)}function Q(e2){return e2===0?0:e2}function N(e2,t2){let r2=Number.MAX_SAFE_INTEGER,
o2=Number(e2);if(o2=Q(o2),!D(o2))throw new TypeError(`${t2} is not a finite number`);if(o2=(function(e3){return Q(F(e3))})(
o2),o2<0||o2>r2)throw new TypeError(`${t2} is outside the accepted range of 0 to ${r2}, inclusive`);return D(o2)&&o2!==0?
o2:0}function H(e2,t2){if(!Ir(e2))throw new TypeError(`${t2} is not a ReadableStream.`)}function V(e2){return new ReadableStreamDefaultReader(
e2)}function U(e2,t2){e2[hidden_reader][hidden_readRequests].push(t2)}function G(e2,t2,r2){let o2=e2[hidden_reader][hidden_readRequests].shift();r2?
o2[hidden_closeSteps]():o2[hidden_chunkSteps](t2)}function X(e2){return e2[hidden_reader][hidden_readRequests].length}function J(e2){let t2=e2[hidden_reader];
return t2!==void 0&&!!ee(t2)}var ReadableStreamDefaultReader=class{constructor(e2){if(M(e2,1,"ReadableStreamDefaultReader"),H(e2,"First parameter"),$r(e2))throw new TypeError("This stream has already been locked for exclusive reading by another reader");E(this,e2),this[hidden_readRequests]=new v}get closed(){return ee(this)?this[hidden_closedPromise]:d(ne("closed"))}cancel(e2=void 0){
return ee(this)?this[hidden_ownerReadableStream]===void 0?d(B("cancel")):W(this,e2):d(ne("cancel"))}read(){if(!ee(this))return d(
ne("read"));if(this[hidden_ownerReadableStream]===void 0)return d(B("read from"));let e2=re(this)?new Z:new K;return te(this,e2),
e2[hidden_promise]}releaseLock(){if(!ee(this))throw ne("releaseLock");this[hidden_ownerReadableStream]!==void 0&&(function(e2){O(e2);let t2=new TypeError(
"Reader was released");oe(e2,t2)})(this)}};Object.defineProperties(ReadableStreamDefaultReader.prototype,{cancel:{enumerable:!0},
read:{enumerable:!0},releaseLock:{enumerable:!0},closed:{enumerable:!0}}),o(ReadableStreamDefaultReader.prototype.cancel,
"cancel"),o(ReadableStreamDefaultReader.prototype.read,"read"),o(ReadableStreamDefaultReader.prototype.releaseLock,"releaseLock"),typeof Symbol.toStringTag=="symbol"&&Object.defineProperty(ReadableStreamDefaultReader.prototype,Symbol.toStringTag,
{value:"ReadableStreamDefaultReader",configurable:!0});var K=class{constructor(){this[hidden_promise]=u((e2,t2)=>{this[hidden_resolvePromise]=
e2,this[hidden_rejectPromise]=t2})}[hidden_chunkSteps](e2){this[hidden_resolvePromise]({value:e2,done:!1})}[hidden_closeSteps](){this[hidden_resolvePromise](
{value:void 0,done:!0})}[hidden_errorSteps](e2){this[hidden_rejectPromise](e2)}},Z=class{constructor(){this[hidden_promise]=void 0}[hidden_chunkSteps](e2){
this[hidden_promise]=l({value:e2,done:!1})}[hidden_closeSteps](){this[hidden_promise]=l({value:void 0,done:!0})}[hidden_errorSteps](e2){this[hidden_promise]=
d(e2)}};function ee(e2){return!!t(e2)&&!!Object.prototype.hasOwnProperty.call(e2,hidden_readRequests)&&e2 instanceof ReadableStreamDefaultReader}
function te(e2,t2){let r2=e2[hidden_ownerReadableStream];r2[hidden_disturbed]=!0,r2[hidden_state]==="closed"?t2[hidden_closeSteps]():r2[hidden_state]==="errored"?t2[hidden_errorSteps](r2[hidden_storedError]):r2[hidden_readableStreamController][P](t2)}function re(e2){let t2=e2[hidden_ownerReadableStream];
return t2[hidden_state]==="closed"||t2[hidden_state]==="errored"||t2[hidden_readableStreamController][C]()}function oe(e2,t2){let r2=e2[hidden_readRequests];
e2[hidden_readRequests]=new v,r2.forEach(e3=>{e3[hidden_errorSteps](t2)})}function ne(e2){return new TypeError(`ReadableStreamDefaultReader.prototype.${e2} can only be used on a ReadableStreamDefaultReader`)}var ie,ae,se;function le(e2){return e2.slice()}
function ue(e2,t2,r2,o2,n2){new Uint8Array(e2).set(new Uint8Array(r2,o2,n2),t2)}var ce=e2=>(ce=typeof e2.transfer=="function"?e3=>e3.transfer():typeof structuredClone=="function"?e3=>structuredClone(e3,{transfer:[e3]}):e3=>e3,ce(e2)),de=e2=>(de=
typeof e2.detached=="boolean"?e3=>e3.detached:e3=>e3.byteLength===0,de(e2));function fe(e2,t2,r2){if(e2.slice)return e2.
slice(t2,r2);let o2=r2-t2,n2=new ArrayBuffer(o2);return ue(n2,0,e2,t2,o2),n2}function he(e2,t2){let r2=e2[t2];if(r2!=null){
if(typeof r2!="function")throw new TypeError(`${String(t2)} is not a function`);return r2}}function be(e2){try{let t2=e2.
done,r2=e2.value;return f(l(r2),e3=>({done:t2,value:e3}))}catch(e3){return d(e3)}}var _e=(se=(ie=Symbol.asyncIterator)!==
null&&ie!==void 0?ie:(ae=Symbol.for)===null||ae===void 0?void 0:ae.call(Symbol,"Symbol.asyncIterator"))!==null&&se!==void 0?
se:"@@asyncIterator";function me(e2,r2="sync",o2){if(o2===void 0)if(r2==="async"){if((o2=he(e2,_e))===void 0)return(function(e3){
let r3={next(){let t2;try{t2=pe(e3)}catch(e4){return d(e4)}return be(t2)},return(r4){let o3;try{let t2=he(e3.iterator,"return");if(t2===void 0)return c({done:!0,value:r4});o3=S(t2,e3.iterator,[r4])}catch(e4){return d(e4)}return t(o3)?be(o3):
d(new TypeError("The iterator.return() method must return an object"))}};return{iterator:r3,nextMethod:r3.next,done:!1}})(
me(e2,"sync",he(e2,Symbol.iterator)))}else o2=he(e2,Symbol.iterator);if(o2===void 0)throw new TypeError("The object is not iterable");let n2=S(o2,e2,[]);if(!t(n2))throw new TypeError("The iterator method must return an object");return{iterator:n2,
nextMethod:n2.next,done:!1}}function pe(e2){let r2=S(e2.nextMethod,e2.iterator,[]);if(!t(r2))throw new TypeError("The iterator.next() method must return an object");return r2}var ye=class{constructor(e2,t2){this[hidden_ongoingPromise]=void 0,this[hidden_isFinished]=!1,this[hidden_reader]=e2,this[hidden_preventCancel]=t2}next(){let e2=()=>this[hidden_nextSteps]();return this[hidden_ongoingPromise]=this[hidden_ongoingPromise]?m(this[hidden_ongoingPromise],e2,e2):e2(),this[hidden_ongoingPromise]}return(e2){let t2=()=>this[hidden_returnSteps](e2);return this[hidden_ongoingPromise]=this[hidden_ongoingPromise]?m(this[hidden_ongoingPromise],t2,t2):t2(),this[hidden_ongoingPromise]}[hidden_nextSteps](){if(this[hidden_isFinished])
return Promise.resolve({value:void 0,done:!0});let e2=this[hidden_reader],t2=new Se(this);return te(e2,t2),t2[hidden_promise]}[hidden_returnSteps](e2){
if(this[hidden_isFinished])return Promise.resolve({value:e2,done:!0});this[hidden_isFinished]=!0;let t2=this[hidden_reader];if(!this[hidden_preventCancel]){
let r2=W(t2,e2);return O(t2),m(r2,()=>({value:e2,done:!0}))}return O(t2),c({value:e2,done:!0})}},Se=class{constructor(e2){
this[hidden_iterator]=e2,this[hidden_promise]=u((e3,t2)=>{this[hidden_resolvePromise]=e3,this[hidden_rejectPromise]=t2})}[hidden_chunkSteps](e2){this[hidden_iterator][hidden_ongoingPromise]=void 0,y(()=>this[hidden_resolvePromise]({value:e2,done:!1}))}[hidden_closeSteps](){let e2=this[hidden_iterator];e2[hidden_ongoingPromise]=
void 0,e2[hidden_isFinished]=!0,O(e2[hidden_reader]),this[hidden_resolvePromise]({value:void 0,done:!0})}[hidden_errorSteps](e2){let t2=this[hidden_iterator];
t2[hidden_ongoingPromise]=void 0,t2[hidden_isFinished]=!0,O(t2[hidden_reader]),this[hidden_rejectPromise](e2)}},ge={next(){return ve(this)?this[hidden_asyncIteratorImpl].
next():d(we("next"))},return(e2){return ve(this)?this[hidden_asyncIteratorImpl].return(e2):d(we("return"))},[_e](){return this}};
function ve(e2){if(!t(e2)||!Object.prototype.hasOwnProperty.call(e2,hidden_asyncIteratorImpl))return!1;try{return e2[hidden_asyncIteratorImpl] instanceof
ye}catch{return!1}}function we(e2){return new TypeError(`ReadableStreamAsyncIterator.${e2} can only be used on a ReadableSteamAsyncIterator`)}Object.defineProperty(ge,_e,{enumerable:!1});var Re=Number.isNaN||function(e2){return e2!=e2};function Te(e2){
let t2=fe(e2.buffer,e2.byteOffset,e2.byteOffset+e2.byteLength);return new Uint8Array(t2)}function Pe(e2){let t2=e2[hidden_queue].
shift();return e2[hidden_queueTotalSize]-=t2.size,e2[hidden_queueTotalSize]<0&&(e2[hidden_queueTotalSize]=0),t2.value}function Ce(e2,t2,r2){if(typeof(o2=
r2)!="number"||Re(o2)||o2<0||r2===1/0)throw new RangeError("Size must be a finite, non-NaN, non-negative number.");var o2;
e2[hidden_queue].push({value:t2,size:r2}),e2[hidden_queueTotalSize]+=r2}function qe(e2){e2[hidden_queue]=new v,e2[hidden_queueTotalSize]=0}function Ee(e2){
return e2===DataView}function We(e2){return Ee(e2)?1:e2.BYTES_PER_ELEMENT}var ReadableStreamBYOBRequest=class{constructor(){
throw new TypeError("Illegal constructor")}get view(){if(!Be(this))throw ot("view");return this[hidden_view]}respond(e2){if(!Be(
this))throw ot("respond");if(M(e2,1,"respond"),e2=N(e2,"First parameter"),this[hidden_associatedReadableByteStreamController]===
void 0)throw new TypeError("This BYOB request has been invalidated");if(de(this[hidden_view].buffer))throw new TypeError("The BYOB request's buffer has been detached and so cannot be used as a response");et(this[hidden_associatedReadableByteStreamController],
e2)}respondWithNewView(e2){if(!Be(this))throw ot("respondWithNewView");if(M(e2,1,"respondWithNewView"),!ArrayBuffer.isView(
e2))throw new TypeError("You can only respond with array buffer views");if(this[hidden_associatedReadableByteStreamController]===
void 0)throw new TypeError("This BYOB request has been invalidated");if(de(e2.buffer))throw new TypeError("The given view's buffer has been detached and so cannot be used as a response");tt(this[hidden_associatedReadableByteStreamController],e2)}};
Object.defineProperties(ReadableStreamBYOBRequest.prototype,{respond:{enumerable:!0},respondWithNewView:{enumerable:!0},
view:{enumerable:!0}}),o(ReadableStreamBYOBRequest.prototype.respond,"respond"),o(ReadableStreamBYOBRequest.prototype.respondWithNewView,
"respondWithNewView"),typeof Symbol.toStringTag=="symbol"&&Object.defineProperty(ReadableStreamBYOBRequest.prototype,Symbol.
toStringTag,{value:"ReadableStreamBYOBRequest",configurable:!0});var ReadableByteStreamController=class{constructor(){throw new TypeError(
"Illegal constructor")}get byobRequest(){if(!Oe(this))throw nt("byobRequest");return Ke(this)}get desiredSize(){if(!Oe(this))
throw nt("desiredSize");return Ze(this)}close(){if(!Oe(this))throw nt("close");if(this[hidden_closeRequested])throw new TypeError(
"The stream has already been closed; do not close it again!");let e2=this[hidden_controlledReadableByteStream][hidden_state];if(e2!=="readable")throw new TypeError(`The stream (in ${e2} state) is not in the readable state and cannot be closed`);Ue(this)}enqueue(e2){
if(!Oe(this))throw nt("enqueue");if(M(e2,1,"enqueue"),!ArrayBuffer.isView(e2))throw new TypeError("chunk must be an array buffer view");if(e2.byteLength===0)throw new TypeError("chunk must have non-zero byteLength");if(e2.buffer.byteLength===
0)throw new TypeError("chunk's buffer must have non-zero byteLength");if(this[hidden_closeRequested])throw new TypeError("stream is closed or draining");let t2=this[hidden_controlledReadableByteStream][hidden_state];if(t2!=="readable")throw new TypeError(`The stream (in ${t2} state) is not in the readable state and cannot be enqueued to`);Ge(this,e2)}error(e2=void 0){if(!Oe(this))
throw nt("error");Xe(this,e2)}[T](e2){ke(this),qe(this);let t2=this[hidden_cancelAlgorithm](e2);return Ve(this),t2}[P](e2){let t2=this[hidden_controlledReadableByteStream];if(this[hidden_queueTotalSize]>0)return void Je(this,e2);let r2=this[hidden_autoAllocateChunkSize];if(r2!==
void 0){let t3;try{t3=new ArrayBuffer(r2)}catch(t4){return void e2[hidden_errorSteps](t4)}let o2={buffer:t3,bufferByteLength:r2,
byteOffset:0,byteLength:r2,bytesFilled:0,minimumFill:1,elementSize:1,viewConstructor:Uint8Array,readerType:"default"};this[hidden_pendingPullIntos].push(o2)}U(t2,e2),je(this)}[C](){return this[hidden_queueTotalSize]>0}[q](){if(this[hidden_pendingPullIntos].length>
0){let e2=this[hidden_pendingPullIntos].peek();e2.readerType="none",this[hidden_pendingPullIntos]=new v,this[hidden_pendingPullIntos].push(e2)}}};
function Oe(e2){return!!t(e2)&&!!Object.prototype.hasOwnProperty.call(e2,hidden_controlledReadableByteStream)&&e2 instanceof
ReadableByteStreamController}function Be(e2){return!!t(e2)&&!!Object.prototype.hasOwnProperty.call(e2,hidden_associatedReadableByteStreamController)&&e2 instanceof ReadableStreamBYOBRequest}function je(e2){if((function(e3){let t3=e3[hidden_controlledReadableByteStream];
return t3[hidden_state]!=="readable"||e3[hidden_closeRequested]||!e3[hidden_started]?!1:!!(J(t3)&&X(t3)>0||ut(t3)&&lt(t3)>0||Ze(e3)>0)})(e2)){
if(e2[hidden_pulling])return void(e2[hidden_pullAgain]=!0);e2[hidden_pulling]=!0,h(e2[hidden_pullAlgorithm](),()=>(e2[hidden_pulling]=!1,e2[hidden_pullAgain]&&(e2[hidden_pullAgain]=!1,je(e2)),null),t3=>(Xe(e2,t3),null))}}function ke(e2){xe(e2),e2[hidden_pendingPullIntos]=new v}function Ae(e2,t2){
let r2=!1;e2[hidden_state]==="closed"&&(r2=!0);let o2=De(t2);t2.readerType==="default"?G(e2,o2,r2):(function(e3,t3,r3){let o3=e3[hidden_reader],n2=o3[hidden_readIntoRequests].shift();r3?n2[hidden_closeSteps](t3):n2[hidden_chunkSteps](t3)})(e2,o2,r2)}function ze(e2,t2){for(let r2=0;r2<
t2.length;++r2)Ae(e2,t2[r2])}function De(e2){let t2=e2.bytesFilled,r2=e2.elementSize;return new e2.viewConstructor(e2.buffer,
e2.byteOffset,t2/r2)}function Fe(e2,t2,r2,o2){e2[hidden_queue].push({buffer:t2,byteOffset:r2,byteLength:o2}),e2[hidden_queueTotalSize]+=
o2}function Le(e2,t2,r2,o2){let n2;try{n2=fe(t2,r2,r2+o2)}catch(t3){throw Xe(e2,t3),t3}Fe(e2,n2,0,o2)}function Ie(e2,t2){
t2.bytesFilled>0&&Le(e2,t2.buffer,t2.byteOffset,t2.bytesFilled),He(e2)}function $e(e2,t2){let r2=Math.min(e2[hidden_queueTotalSize],
t2.byteLength-t2.bytesFilled),o2=t2.bytesFilled+r2,n2=r2,i2=!1,a2=o2-o2%t2.elementSize;a2>=t2.minimumFill&&(n2=a2-t2.bytesFilled,
i2=!0);let s2=e2[hidden_queue];for(;n2>0;){let r3=s2.peek(),o3=Math.min(n2,r3.byteLength),i3=t2.byteOffset+t2.bytesFilled;ue(t2.
buffer,i3,r3.buffer,r3.byteOffset,o3),r3.byteLength===o3?s2.shift():(r3.byteOffset+=o3,r3.byteLength-=o3),e2[hidden_queueTotalSize]-=
o3,Me(e2,o3,t2),n2-=o3}return i2}function Me(e2,t2,r2){r2.bytesFilled+=t2}function Ye(e2){e2[hidden_queueTotalSize]===0&&e2[hidden_closeRequested]?
(Ve(e2),Yr(e2[hidden_controlledReadableByteStream])):je(e2)}function xe(e2){e2[hidden_byobRequest]!==null&&(e2[hidden_byobRequest][hidden_associatedReadableByteStreamController]=
void 0,e2[hidden_byobRequest][hidden_view]=null,e2[hidden_byobRequest]=null)}function Qe(e2){let t2=[];for(;e2[hidden_pendingPullIntos].length>0&&e2[hidden_queueTotalSize]!==0;){let r2=e2[hidden_pendingPullIntos].peek();$e(e2,r2)&&(He(e2),t2.push(r2))}return t2}function Ne(e2,t2){let r2=e2[hidden_pendingPullIntos].peek();xe(e2),e2[hidden_controlledReadableByteStream][hidden_state]==="closed"?(function(e3,t3){t3.readerType==="none"&&He(e3);let r3=e3[hidden_controlledReadableByteStream];if(ut(r3)){let t4=[];for(;t4.length<lt(r3);)t4.push(He(e3));ze(r3,t4)}})(
e2,r2):(function(e3,t3,r3){if(Me(0,t3,r3),r3.readerType==="none"){Ie(e3,r3);let t4=Qe(e3);return void ze(e3[hidden_controlledReadableByteStream],
t4)}if(r3.bytesFilled<r3.minimumFill)return;He(e3);let o2=r3.bytesFilled%r3.elementSize;if(o2>0){let t4=r3.byteOffset+r3.
bytesFilled;Le(e3,r3.buffer,t4-o2,o2)}r3.bytesFilled-=o2;let n2=Qe(e3);Ae(e3[hidden_controlledReadableByteStream],r3),ze(e3[hidden_controlledReadableByteStream],
n2)})(e2,t2,r2),je(e2)}function He(e2){return e2[hidden_pendingPullIntos].shift()}function Ve(e2){e2[hidden_pullAlgorithm]=void 0,e2[hidden_cancelAlgorithm]=
void 0}function Ue(e2){let t2=e2[hidden_controlledReadableByteStream];if(!e2[hidden_closeRequested]&&t2[hidden_state]==="readable")if(e2[hidden_queueTotalSize]>
0)e2[hidden_closeRequested]=!0;else{if(e2[hidden_pendingPullIntos].length>0){let t3=e2[hidden_pendingPullIntos].peek();if(t3.bytesFilled%t3.elementSize!==
0){let t4=new TypeError("Insufficient bytes to fill elements in the given buffer");throw Xe(e2,t4),t4}}Ve(e2),Yr(t2)}}function Ge(e2,t2){
let r2=e2[hidden_controlledReadableByteStream];if(e2[hidden_closeRequested]||r2[hidden_state]!=="readable")return;let{buffer:o2,byteOffset:n2,
byteLength:i2}=t2;if(de(o2))throw new TypeError("chunk's buffer is detached and so cannot be enqueued");let a2=ce(o2);if(e2[hidden_pendingPullIntos].length>0){let t3=e2[hidden_pendingPullIntos].peek();if(de(t3.buffer))throw new TypeError("The BYOB request's buffer has been detached and so cannot be filled with an enqueued chunk");xe(e2),t3.buffer=ce(t3.buffer),t3.readerType===
"none"&&Ie(e2,t3)}J(r2)?((function(e3){let t3=e3[hidden_controlledReadableByteStream][hidden_reader];for(;t3[hidden_readRequests].length>0;){
if(e3[hidden_queueTotalSize]===0)return;Je(e3,t3[hidden_readRequests].shift())}})(e2),X(r2)===0?Fe(e2,a2,n2,i2):(e2[hidden_pendingPullIntos].
length>0&&He(e2),G(r2,new Uint8Array(a2,n2,i2),!1))):ut(r2)?(Fe(e2,a2,n2,i2),ze(r2,Qe(e2))):Fe(e2,a2,n2,i2),je(e2)}function Xe(e2,t2){
let r2=e2[hidden_controlledReadableByteStream];r2[hidden_state]==="readable"&&(ke(e2),qe(e2),Ve(e2),xr(r2,t2))}function Je(e2,t2){let r2=e2[hidden_queue].shift();e2[hidden_queueTotalSize]-=r2.byteLength,Ye(e2);let o2=new Uint8Array(r2.buffer,r2.byteOffset,r2.byteLength);t2[hidden_chunkSteps](o2)}function Ke(e2){if(e2[hidden_byobRequest]===null&&e2[hidden_pendingPullIntos].length>0){let t2=e2[hidden_pendingPullIntos].peek(),
r2=new Uint8Array(t2.buffer,t2.byteOffset+t2.bytesFilled,t2.byteLength-t2.bytesFilled),o2=Object.create(ReadableStreamBYOBRequest.
prototype);(function(e3,t3,r3){e3[hidden_associatedReadableByteStreamController]=t3,e3[hidden_view]=r3})(o2,e2,r2),e2[hidden_byobRequest]=o2}
return e2[hidden_byobRequest]}function Ze(e2){let t2=e2[hidden_controlledReadableByteStream][hidden_state];return t2==="errored"?null:t2==="closed"?0:e2[hidden_strategyHWM]-e2[hidden_queueTotalSize]}function et(e2,t2){let r2=e2[hidden_pendingPullIntos].peek();if(e2[hidden_controlledReadableByteStream][hidden_state]==="closed"){if(t2!==0)throw new TypeError("bytesWritten must be 0 when calling respond() on a closed stream")}else{
if(t2===0)throw new TypeError("bytesWritten must be greater than 0 when calling respond() on a readable stream");if(r2.bytesFilled+
t2>r2.byteLength)throw new RangeError("bytesWritten out of range")}r2.buffer=ce(r2.buffer),Ne(e2,t2)}function tt(e2,t2){
let r2=e2[hidden_pendingPullIntos].peek();if(e2[hidden_controlledReadableByteStream][hidden_state]==="closed"){if(t2.byteLength!==0)throw new TypeError(
"The view's length must be 0 when calling respondWithNewView() on a closed stream")}else if(t2.byteLength===0)throw new TypeError(
"The view's length must be greater than 0 when calling respondWithNewView() on a readable stream");if(r2.byteOffset+r2.bytesFilled!==
t2.byteOffset)throw new RangeError("The region specified by view does not match byobRequest");if(r2.bufferByteLength!==t2.
buffer.byteLength)throw new RangeError("The buffer of view has different capacity than byobRequest");if(r2.bytesFilled+t2.
byteLength>r2.byteLength)throw new RangeError("The region specified by view is larger than byobRequest");let o2=t2.byteLength;
r2.buffer=ce(t2.buffer),Ne(e2,o2)}function rt(e2,t2,r2,o2,n2,i2,a2){t2[hidden_controlledReadableByteStream]=e2,t2[hidden_pullAgain]=!1,
t2[hidden_pulling]=!1,t2[hidden_byobRequest]=null,t2[hidden_queue]=t2[hidden_queueTotalSize]=void 0,qe(t2),t2[hidden_closeRequested]=!1,t2[hidden_started]=!1,t2[hidden_strategyHWM]=
i2,t2[hidden_pullAlgorithm]=o2,t2[hidden_cancelAlgorithm]=n2,t2[hidden_autoAllocateChunkSize]=a2,t2[hidden_pendingPullIntos]=new v,e2[hidden_readableStreamController]=
t2,h(c(r2()),()=>(t2[hidden_started]=!0,je(t2),null),e3=>(Xe(t2,e3),null))}function ot(e2){return new TypeError(`ReadableStreamBYOBRequest.prototype.${e2} can only be used on a ReadableStreamBYOBRequest`)}function nt(e2){return new TypeError(`ReadableByteStreamController.prototype.${e2} can only be used on a ReadableByteStreamController`)}function it(e2,t2){if((e2=
`${e2}`)!="byob")throw new TypeError(`${t2} '${e2}' is not a valid enumeration value for ReadableStreamReaderMode`);return e2}
function at(e2){return new ReadableStreamBYOBReader(e2)}function st(e2,t2){e2[hidden_reader][hidden_readIntoRequests].push(t2)}function lt(e2){
return e2[hidden_reader][hidden_readIntoRequests].length}function ut(e2){let t2=e2[hidden_reader];return t2!==void 0&&!!ft(t2)}Object.defineProperties(
ReadableByteStreamController.prototype,{close:{enumerable:!0},enqueue:{enumerable:!0},error:{enumerable:!0},byobRequest:{
enumerable:!0},desiredSize:{enumerable:!0}}),o(ReadableByteStreamController.prototype.close,"close"),o(ReadableByteStreamController.
prototype.enqueue,"enqueue"),o(ReadableByteStreamController.prototype.error,"error"),typeof Symbol.toStringTag=="symbol"&&
Object.defineProperty(ReadableByteStreamController.prototype,Symbol.toStringTag,{value:"ReadableByteStreamController",configurable:!0});
var ReadableStreamBYOBReader=class{constructor(e2){if(M(e2,1,"ReadableStreamBYOBReader"),H(e2,"First parameter"),$r(e2))
throw new TypeError("This stream has already been locked for exclusive reading by another reader");if(!Oe(e2[hidden_readableStreamController]))
throw new TypeError("Cannot construct a ReadableStreamBYOBReader for a stream not constructed with a byte source");E(this,
e2),this[hidden_readIntoRequests]=new v}get closed(){return ft(this)?this[hidden_closedPromise]:d(_t("closed"))}cancel(e2=void 0){return ft(
this)?this[hidden_ownerReadableStream]===void 0?d(B("cancel")):W(this,e2):d(_t("cancel"))}read(e2,t2={}){if(!ft(this))return d(
_t("read"));if(!ArrayBuffer.isView(e2))return d(new TypeError("view must be an array buffer view"));if(e2.byteLength===0)
return d(new TypeError("view must have non-zero byteLength"));if(e2.buffer.byteLength===0)return d(new TypeError("view's buffer must have non-zero byteLength"));if(de(e2.buffer))return d(new TypeError("view's buffer has been detached"));let r2;
try{r2=(function(e3,t3){var r3;return L(e3,t3),{min:N((r3=e3?.min)!==null&&r3!==void 0?r3:1,`${t3} has member 'min' that`)}})(
t2,"options")}catch(e3){return d(e3)}let o2=r2.min;if(o2===0)return d(new TypeError("options.min must be greater than 0"));
if((function(e3){return Ee(e3.constructor)})(e2)){if(o2>e2.byteLength)return d(new RangeError("options.min must be less than or equal to view's byteLength"))}else if(o2>e2.length)return d(new RangeError("options.min must be less than or equal to view's length"));if(this[hidden_ownerReadableStream]===void 0)return d(B("read from"));let n2=(function(e3,t3,r3){let o3=e3[hidden_ownerReadableStream];return o3[hidden_state]==="errored"||(function(e4,t4,r4){let o4=e4[hidden_controlledReadableByteStream],n3=We(t4.
constructor),{byteLength:i2}=t4,a2=r4*n3;return!(e4[hidden_pendingPullIntos].length>0)&&(o4[hidden_state]==="closed"||e4[hidden_queueTotalSize]>=
a2)})(o3[hidden_readableStreamController],t3,r3)})(this,e2,o2)?new dt:new ct;return ht(this,e2,o2,n2),n2[hidden_promise]}releaseLock(){
if(!ft(this))throw _t("releaseLock");this[hidden_ownerReadableStream]!==void 0&&(function(e2){O(e2);let t2=new TypeError("Reader was released");bt(e2,t2)})(this)}};Object.defineProperties(ReadableStreamBYOBReader.prototype,{cancel:{enumerable:!0},
read:{enumerable:!0},releaseLock:{enumerable:!0},closed:{enumerable:!0}}),o(ReadableStreamBYOBReader.prototype.cancel,"cancel"),o(ReadableStreamBYOBReader.prototype.read,"read"),o(ReadableStreamBYOBReader.prototype.releaseLock,"releaseLock"),
typeof Symbol.toStringTag=="symbol"&&Object.defineProperty(ReadableStreamBYOBReader.prototype,Symbol.toStringTag,{value:"ReadableStreamBYOBReader",configurable:!0});var ct=class{constructor(){this[hidden_promise]=u((e2,t2)=>{this[hidden_resolvePromise]=e2,
this[hidden_rejectPromise]=t2})}[hidden_chunkSteps](e2){this[hidden_resolvePromise]({value:e2,done:!1})}[hidden_closeSteps](e2){this[hidden_resolvePromise]({
value:e2,done:!0})}[hidden_errorSteps](e2){this[hidden_rejectPromise](e2)}},dt=class{constructor(){this[hidden_promise]=void 0}[hidden_chunkSteps](e2){
this[hidden_promise]=l({value:e2,done:!1})}[hidden_closeSteps](e2){this[hidden_promise]=l({value:e2,done:!0})}[hidden_errorSteps](e2){this[hidden_promise]=d(
e2)}};function ft(e2){return!!t(e2)&&!!Object.prototype.hasOwnProperty.call(e2,hidden_readIntoRequests)&&e2 instanceof ReadableStreamBYOBReader}
function ht(e2,t2,r2,o2){let n2=e2[hidden_ownerReadableStream];n2[hidden_disturbed]=!0,n2[hidden_state]==="errored"?o2[hidden_errorSteps](n2[hidden_storedError]):
(function(e3,t3,r3,o3){let n3=e3[hidden_controlledReadableByteStream],i2=t3.constructor,a2=We(i2),{byteOffset:s2,byteLength:l2}=t3,
u2=r3*a2,c2;try{c2=ce(t3.buffer)}catch(e4){return void o3[hidden_errorSteps](e4)}let d2={buffer:c2,bufferByteLength:c2.byteLength,
byteOffset:s2,byteLength:l2,bytesFilled:0,minimumFill:u2,elementSize:a2,viewConstructor:i2,readerType:"byob"};if(e3[hidden_pendingPullIntos].
length>0)return e3[hidden_pendingPullIntos].push(d2),void st(n3,o3);if(n3[hidden_state]==="closed"){let e4=new i2(d2.buffer,d2.byteOffset,
0);return void o3[hidden_closeSteps](e4)}if(e3[hidden_queueTotalSize]>0){if($e(e3,d2)){let t4=De(d2);return Ye(e3),void o3[hidden_chunkSteps](
t4)}if(e3[hidden_closeRequested]){let t4=new TypeError("Insufficient bytes to fill elements in the given buffer");return Xe(e3,
t4),void o3[hidden_errorSteps](t4)}}e3[hidden_pendingPullIntos].push(d2),st(n3,o3),je(e3)})(n2[hidden_readableStreamController],t2,r2,o2)}function bt(e2,t2){
let r2=e2[hidden_readIntoRequests];e2[hidden_readIntoRequests]=new v,r2.forEach(e3=>{e3[hidden_errorSteps](t2)})}function _t(e2){return new TypeError(
`ReadableStreamBYOBReader.prototype.${e2} can only be used on a ReadableStreamBYOBReader`)}function mt(e2,t2){let{highWaterMark:r2}=e2;
if(r2===void 0)return t2;if(Re(r2)||r2<0)throw new RangeError("Invalid highWaterMark");return r2}function pt(e2){let{size:t2}=e2;
return t2||(()=>1)}function yt(e2,t2){L(e2,t2);let r2=e2?.highWaterMark,o2=e2?.size;return{highWaterMark:r2===void 0?void 0:
x(r2),size:o2===void 0?void 0:St(o2,`${t2} has member 'size' that`)}}function St(e2,t2){return I(e2,t2),t3=>x(e2(t3))}function gt(e2,t2,r2){
return I(e2,r2),r3=>g(e2,t2,[r3])}function vt(e2,t2,r2){return I(e2,r2),()=>g(e2,t2,[])}function wt(e2,t2,r2){return I(e2,
r2),r3=>S(e2,t2,[r3])}function Rt(e2,t2,r2){return I(e2,r2),(r3,o2)=>g(e2,t2,[r3,o2])}function Tt(e2,t2){if(!qt(e2))throw new TypeError(
`${t2} is not a WritableStream.`)}var WritableStream=class{constructor(e2={},t2={}){e2===void 0?e2=null:$(e2,"First parameter");let r2=yt(t2,"Second parameter"),o2=(function(e3,t3){L(e3,t3);let r3=e3?.abort,o3=e3?.close,n3=e3?.start,i2=e3?.
type,a2=e3?.write;return{abort:r3===void 0?void 0:gt(r3,e3,`${t3} has member 'abort' that`),close:o3===void 0?void 0:vt(
o3,e3,`${t3} has member 'close' that`),start:n3===void 0?void 0:wt(n3,e3,`${t3} has member 'start' that`),write:a2===void 0?
void 0:Rt(a2,e3,`${t3} has member 'write' that`),type:i2}})(e2,"First parameter");if(Ct(this),o2.type!==void 0)throw new RangeError(
"Invalid type is specified");let n2=pt(r2);(function(e3,t3,r3,o3){let n3=Object.create(WritableStreamDefaultController.prototype),
i2,a2,s2,l2;i2=t3.start!==void 0?()=>t3.start(n3):()=>{},a2=t3.write!==void 0?e4=>t3.write(e4,n3):()=>c(void 0),s2=t3.close!==
void 0?()=>t3.close():()=>c(void 0),l2=t3.abort!==void 0?e4=>t3.abort(e4):()=>c(void 0),Nt(e3,n3,i2,a2,s2,l2,r3,o3)})(this,
o2,mt(r2,1),n2)}get locked(){if(!qt(this))throw Kt("locked");return Et(this)}abort(e2=void 0){return qt(this)?Et(this)?d(
new TypeError("Cannot abort a stream that already has a writer")):Wt(this,e2):d(Kt("abort"))}close(){return qt(this)?Et(
this)?d(new TypeError("Cannot close a stream that already has a writer")):At(this)?d(new TypeError("Cannot close an already-closing stream")):Ot(this):d(Kt("close"))}getWriter(){if(!qt(this))throw Kt("getWriter");return Pt(this)}};function Pt(e2){
return new WritableStreamDefaultWriter(e2)}function Ct(e2){e2[hidden_state]="writable",e2[hidden_storedError]=void 0,e2[hidden_writer]=void 0,
e2[hidden_writableStreamController]=void 0,e2[hidden_writeRequests]=new v,e2[hidden_inFlightWriteRequest]=void 0,e2[hidden_closeRequest]=void 0,e2[hidden_inFlightCloseRequest]=
void 0,e2[hidden_pendingAbortRequest]=void 0,e2[hidden_backpressure]=!1}function qt(e2){return!!t(e2)&&!!Object.prototype.hasOwnProperty.
call(e2,hidden_writableStreamController)&&e2 instanceof WritableStream}function Et(e2){return e2[hidden_writer]!==void 0}function Wt(e2,t2){
var r2;if(e2[hidden_state]==="closed"||e2[hidden_state]==="errored")return c(void 0);e2[hidden_writableStreamController][hidden_abortReason]=t2,(r2=
e2[hidden_writableStreamController][hidden_abortController])===null||r2===void 0||r2.abort(t2);let o2=e2[hidden_state];if(o2==="closed"||o2===
"errored")return c(void 0);if(e2[hidden_pendingAbortRequest]!==void 0)return e2[hidden_pendingAbortRequest][hidden_promise];let n2=!1;o2==="erroring"&&(n2=!0,t2=void 0);let i2=u((r3,o3)=>{e2[hidden_pendingAbortRequest]={[hidden_promise]:void 0,[hidden_resolve]:r3,[hidden_reject]:o3,[hidden_reason]:t2,
[hidden_wasAlreadyErroring]:n2}});return e2[hidden_pendingAbortRequest][hidden_promise]=i2,n2||jt(e2,t2),i2}function Ot(e2){let t2=e2[hidden_state];if(t2===
"closed"||t2==="errored")return d(new TypeError(`The stream (in ${t2} state) is not in the writable state and cannot be closed`));let r2=u((t3,r3)=>{let o3={[hidden_resolve]:t3,[hidden_reject]:r3};e2[hidden_closeRequest]=o3}),o2=e2[hidden_writer];var n2;return o2!==void 0&&
e2[hidden_backpressure]&&t2==="writable"&&cr(o2),Ce(n2=e2[hidden_writableStreamController],xt,0),Ut(n2),r2}function Bt(e2,t2){e2[hidden_state]!==
"writable"?kt(e2):jt(e2,t2)}function jt(e2,t2){let r2=e2[hidden_writableStreamController];e2[hidden_state]="erroring",e2[hidden_storedError]=
t2;let o2=e2[hidden_writer];o2!==void 0&&$t(o2,t2),!(function(e3){return!(e3[hidden_inFlightWriteRequest]===void 0&&e3[hidden_inFlightCloseRequest]===
void 0)})(e2)&&r2[hidden_started]&&kt(e2)}function kt(e2){e2[hidden_state]="errored",e2[hidden_writableStreamController][R]();let t2=e2[hidden_storedError];
if(e2[hidden_writeRequests].forEach(e3=>{e3[hidden_reject](t2)}),e2[hidden_writeRequests]=new v,e2[hidden_pendingAbortRequest]===void 0)return void zt(
e2);let r2=e2[hidden_pendingAbortRequest];if(e2[hidden_pendingAbortRequest]=void 0,r2[hidden_wasAlreadyErroring])return r2[hidden_reject](t2),void zt(
e2);h(e2[hidden_writableStreamController][w](r2[hidden_reason]),()=>(r2[hidden_resolve](),zt(e2),null),t3=>(r2[hidden_reject](t3),zt(e2),null))}function At(e2){
return e2[hidden_closeRequest]!==void 0||e2[hidden_inFlightCloseRequest]!==void 0}function zt(e2){e2[hidden_closeRequest]!==void 0&&(e2[hidden_closeRequest][hidden_reject](e2[hidden_storedError]),e2[hidden_closeRequest]=void 0);let t2=e2[hidden_writer];t2!==void 0&&nr(t2,e2[hidden_storedError])}function Dt(e2,t2){
let r2=e2[hidden_writer];r2!==void 0&&t2!==e2[hidden_backpressure]&&(t2?(function(e3){ar(e3)})(r2):cr(r2)),e2[hidden_backpressure]=t2}Object.
defineProperties(WritableStream.prototype,{abort:{enumerable:!0},close:{enumerable:!0},getWriter:{enumerable:!0},locked:{
enumerable:!0}}),o(WritableStream.prototype.abort,"abort"),o(WritableStream.prototype.close,"close"),o(WritableStream.prototype.
getWriter,"getWriter"),typeof Symbol.toStringTag=="symbol"&&Object.defineProperty(WritableStream.prototype,Symbol.toStringTag,
{value:"WritableStream",configurable:!0});var WritableStreamDefaultWriter=class{constructor(e2){if(M(e2,1,"WritableStreamDefaultWriter"),Tt(e2,"First parameter"),Et(e2))throw new TypeError("This stream has already been locked for exclusive writing by another writer");this[hidden_ownerWritableStream]=e2,e2[hidden_writer]=this;let t2=e2[hidden_state];if(t2==="writable")!At(e2)&&e2[hidden_backpressure]?ar(this):lr(this),rr(this);else if(t2==="erroring")sr(this,e2[hidden_storedError]),rr(this);else if(t2==="closed")
lr(this),rr(r2=this),ir(r2);else{let t3=e2[hidden_storedError];sr(this,t3),or(this,t3)}var r2}get closed(){return Ft(this)?this[hidden_closedPromise]:d(er("closed"))}get desiredSize(){if(!Ft(this))throw er("desiredSize");if(this[hidden_ownerWritableStream]===void 0)
throw tr("desiredSize");return(function(e2){let t2=e2[hidden_ownerWritableStream],r2=t2[hidden_state];return r2==="errored"||r2==="erroring"?null:r2==="closed"?0:Vt(t2[hidden_writableStreamController])})(this)}get ready(){return Ft(this)?this[hidden_readyPromise]:d(er(
"ready"))}abort(e2=void 0){return Ft(this)?this[hidden_ownerWritableStream]===void 0?d(tr("abort")):(function(e3,t2){return Wt(
e3[hidden_ownerWritableStream],t2)})(this,e2):d(er("abort"))}close(){if(!Ft(this))return d(er("close"));let e2=this[hidden_ownerWritableStream];
return e2===void 0?d(tr("close")):At(e2)?d(new TypeError("Cannot close an already-closing stream")):Lt(this)}releaseLock(){
if(!Ft(this))throw er("releaseLock");this[hidden_ownerWritableStream]!==void 0&&Mt(this)}write(e2=void 0){return Ft(this)?this[hidden_ownerWritableStream]===void 0?d(tr("write to")):Yt(this,e2):d(er("write"))}};function Ft(e2){return!!t(e2)&&!!Object.prototype.
hasOwnProperty.call(e2,hidden_ownerWritableStream)&&e2 instanceof WritableStreamDefaultWriter}function Lt(e2){return Ot(e2[hidden_ownerWritableStream])}
function It(e2,t2){e2[hidden_closedPromiseState]==="pending"?nr(e2,t2):(function(e3,t3){or(e3,t3)})(e2,t2)}function $t(e2,t2){e2[hidden_readyPromiseState]==="pending"?ur(e2,t2):(function(e3,t3){sr(e3,t3)})(e2,t2)}function Mt(e2){let t2=e2[hidden_ownerWritableStream],
r2=new TypeError("Writer was released and can no longer be used to monitor the stream's closedness");$t(e2,r2),It(e2,r2),
t2[hidden_writer]=void 0,e2[hidden_ownerWritableStream]=void 0}function Yt(e2,t2){let r2=e2[hidden_ownerWritableStream],o2=r2[hidden_writableStreamController],
n2=(function(e3,t3){if(e3[hidden_strategySizeAlgorithm]===void 0)return 1;try{return e3[hidden_strategySizeAlgorithm](t3)}catch(t4){return Gt(
e3,t4),1}})(o2,t2);if(r2!==e2[hidden_ownerWritableStream])return d(tr("write to"));let i2=r2[hidden_state];if(i2==="errored")return d(
r2[hidden_storedError]);if(At(r2)||i2==="closed")return d(new TypeError("The stream is closing or closed and cannot be written to"));if(i2==="erroring")return d(r2[hidden_storedError]);let a2=(function(e3){return u((t3,r3)=>{let o3={[hidden_resolve]:t3,[hidden_reject]:r3};
e3[hidden_writeRequests].push(o3)})})(r2);return(function(e3,t3,r3){try{Ce(e3,t3,r3)}catch(t4){return void Gt(e3,t4)}let o3=e3[hidden_controlledWritableStream];!At(o3)&&o3[hidden_state]==="writable"&&Dt(o3,Xt(e3)),Ut(e3)})(o2,t2,n2),a2}Object.defineProperties(WritableStreamDefaultWriter.
prototype,{abort:{enumerable:!0},close:{enumerable:!0},releaseLock:{enumerable:!0},write:{enumerable:!0},closed:{enumerable:!0},
desiredSize:{enumerable:!0},ready:{enumerable:!0}}),o(WritableStreamDefaultWriter.prototype.abort,"abort"),o(WritableStreamDefaultWriter.
prototype.close,"close"),o(WritableStreamDefaultWriter.prototype.releaseLock,"releaseLock"),o(WritableStreamDefaultWriter.
prototype.write,"write"),typeof Symbol.toStringTag=="symbol"&&Object.defineProperty(WritableStreamDefaultWriter.prototype,
Symbol.toStringTag,{value:"WritableStreamDefaultWriter",configurable:!0});var xt={},WritableStreamDefaultController=class{constructor(){
throw new TypeError("Illegal constructor")}get abortReason(){if(!Qt(this))throw Zt("abortReason");return this[hidden_abortReason]}get signal(){
if(!Qt(this))throw Zt("signal");if(this[hidden_abortController]===void 0)throw new TypeError("WritableStreamDefaultController.prototype.signal is not supported");return this[hidden_abortController].signal}error(e2=void 0){if(!Qt(this))throw Zt("error");this[hidden_controlledWritableStream][hidden_state]==="writable"&&Jt(this,e2)}[w](e2){let t2=this[hidden_abortAlgorithm](e2);return Ht(this),t2}[R](){
qe(this)}};function Qt(e2){return!!t(e2)&&!!Object.prototype.hasOwnProperty.call(e2,hidden_controlledWritableStream)&&e2 instanceof
WritableStreamDefaultController}function Nt(e2,t2,r2,o2,n2,i2,a2,s2){t2[hidden_controlledWritableStream]=e2,e2[hidden_writableStreamController]=
t2,t2[hidden_queue]=void 0,t2[hidden_queueTotalSize]=void 0,qe(t2),t2[hidden_abortReason]=void 0,t2[hidden_abortController]=(function(){if(typeof AbortController==
"function")return new AbortController})(),t2[hidden_started]=!1,t2[hidden_strategySizeAlgorithm]=s2,t2[hidden_strategyHWM]=a2,t2[hidden_writeAlgorithm]=
o2,t2[hidden_closeAlgorithm]=n2,t2[hidden_abortAlgorithm]=i2;let l2=Xt(t2);Dt(e2,l2),h(c(r2()),()=>(t2[hidden_started]=!0,Ut(t2),null),r3=>(t2[hidden_started]=!0,Bt(e2,r3),null))}function Ht(e2){e2[hidden_writeAlgorithm]=void 0,e2[hidden_closeAlgorithm]=void 0,e2[hidden_abortAlgorithm]=void 0,
e2[hidden_strategySizeAlgorithm]=void 0}function Vt(e2){return e2[hidden_strategyHWM]-e2[hidden_queueTotalSize]}function Ut(e2){let t2=e2[hidden_controlledWritableStream];
if(!e2[hidden_started]||t2[hidden_inFlightWriteRequest]!==void 0)return;if(t2[hidden_state]==="erroring")return void kt(t2);if(e2[hidden_queue].length===
0)return;let r2=e2[hidden_queue].peek().value;r2===xt?(function(e3){let t3=e3[hidden_controlledWritableStream];(function(e4){e4[hidden_inFlightCloseRequest]=
e4[hidden_closeRequest],e4[hidden_closeRequest]=void 0})(t3),Pe(e3);let r3=e3[hidden_closeAlgorithm]();Ht(e3),h(r3,()=>((function(e4){e4[hidden_inFlightCloseRequest][hidden_resolve](void 0),e4[hidden_inFlightCloseRequest]=void 0,e4[hidden_state]==="erroring"&&(e4[hidden_storedError]=void 0,e4[hidden_pendingAbortRequest]!==
void 0&&(e4[hidden_pendingAbortRequest][hidden_resolve](),e4[hidden_pendingAbortRequest]=void 0)),e4[hidden_state]="closed";let t4=e4[hidden_writer];t4!==void 0&&
ir(t4)})(t3),null),e4=>((function(e5,t4){e5[hidden_inFlightCloseRequest][hidden_reject](t4),e5[hidden_inFlightCloseRequest]=void 0,e5[hidden_pendingAbortRequest]!==
void 0&&(e5[hidden_pendingAbortRequest][hidden_reject](t4),e5[hidden_pendingAbortRequest]=void 0),Bt(e5,t4)})(t3,e4),null))})(e2):(function(e3,t3){
let r3=e3[hidden_controlledWritableStream];(function(e4){e4[hidden_inFlightWriteRequest]=e4[hidden_writeRequests].shift()})(r3);let o2=e3[hidden_writeAlgorithm](
t3);h(o2,()=>{(function(e4){e4[hidden_inFlightWriteRequest][hidden_resolve](void 0),e4[hidden_inFlightWriteRequest]=void 0})(r3);let t4=r3[hidden_state];
if(Pe(e3),!At(r3)&&t4==="writable"){let t5=Xt(e3);Dt(r3,t5)}return Ut(e3),null},t4=>(r3[hidden_state]==="writable"&&Ht(e3),(function(e4,t5){
e4[hidden_inFlightWriteRequest][hidden_reject](t5),e4[hidden_inFlightWriteRequest]=void 0,Bt(e4,t5)})(r3,t4),null))})(e2,r2)}function Gt(e2,t2){
e2[hidden_controlledWritableStream][hidden_state]==="writable"&&Jt(e2,t2)}function Xt(e2){return Vt(e2)<=0}function Jt(e2,t2){let r2=e2[hidden_controlledWritableStream];Ht(e2),jt(r2,t2)}function Kt(e2){return new TypeError(`WritableStream.prototype.${e2} can only be used on a WritableStream`)}function Zt(e2){return new TypeError(`WritableStreamDefaultController.prototype.${e2} can only be used on a WritableStreamDefaultController`)}function er(e2){return new TypeError(`WritableStreamDefaultWriter.prototype.${e2} can only be used on a WritableStreamDefaultWriter`)}function tr(e2){return new TypeError("Cannot "+e2+" a stream using a released writer")}function rr(e2){e2[hidden_closedPromise]=u((t2,r2)=>{e2[hidden_closedPromise_resolve]=t2,e2[hidden_closedPromise_reject]=
r2,e2[hidden_closedPromiseState]="pending"})}function or(e2,t2){rr(e2),nr(e2,t2)}function nr(e2,t2){e2[hidden_closedPromise_reject]!==
void 0&&(p(e2[hidden_closedPromise]),e2[hidden_closedPromise_reject](t2),e2[hidden_closedPromise_resolve]=void 0,e2[hidden_closedPromise_reject]=void 0,
e2[hidden_closedPromiseState]="rejected")}function ir(e2){e2[hidden_closedPromise_resolve]!==void 0&&(e2[hidden_closedPromise_resolve](void 0),
e2[hidden_closedPromise_resolve]=void 0,e2[hidden_closedPromise_reject]=void 0,e2[hidden_closedPromiseState]="resolved")}function ar(e2){e2[hidden_readyPromise]=
u((t2,r2)=>{e2[hidden_readyPromise_resolve]=t2,e2[hidden_readyPromise_reject]=r2}),e2[hidden_readyPromiseState]="pending"}function sr(e2,t2){
ar(e2),ur(e2,t2)}function lr(e2){ar(e2),cr(e2)}function ur(e2,t2){e2[hidden_readyPromise_reject]!==void 0&&(p(e2[hidden_readyPromise]),
e2[hidden_readyPromise_reject](t2),e2[hidden_readyPromise_resolve]=void 0,e2[hidden_readyPromise_reject]=void 0,e2[hidden_readyPromiseState]="rejected")}function cr(e2){e2[hidden_readyPromise_resolve]!==void 0&&(e2[hidden_readyPromise_resolve](void 0),e2[hidden_readyPromise_resolve]=void 0,
e2[hidden_readyPromise_reject]=void 0,e2[hidden_readyPromiseState]="fulfilled")}Object.defineProperties(WritableStreamDefaultController.
prototype,{abortReason:{enumerable:!0},signal:{enumerable:!0},error:{enumerable:!0}}),typeof Symbol.toStringTag=="symbol"&&
Object.defineProperty(WritableStreamDefaultController.prototype,Symbol.toStringTag,{value:"WritableStreamDefaultController",configurable:!0});var dr=typeof globalThis<"u"||typeof globalThis<"u"||typeof globalThis<"u"?globalThis:void 0,fr=(function(){
let e2=dr?.DOMException;return(function(e3){if(typeof e3!="function"&&typeof e3!="object"||e3.name!=="DOMException")return!1;
try{return new e3,!0}catch{return!1}})(e2)?e2:void 0})()||(function(){let e2=function(e3,t2){this.message=e3||"",this.name=
t2||"Error",Error.captureStackTrace&&Error.captureStackTrace(this,this.constructor)};return o(e2,"DOMException"),e2.prototype=
Object.create(Error.prototype),Object.defineProperty(e2.prototype,"constructor",{value:e2,writable:!0,configurable:!0}),
e2})();function hr(e2,t2,r2,o2,n2,i2){let a2=V(e2),s2=Pt(t2);e2[hidden_disturbed]=!0;let l2=new br(s2),_2=new mr(l2);return u((m2,y2)=>{
let S2;if(i2!==void 0){if(S2=()=>{let r3=i2.reason!==void 0?i2.reason:new fr("Aborted","AbortError"),a3=[];o2||a3.push(()=>t2[hidden_state]==="writable"?Wt(t2,r3):c(void 0)),n2||a3.push(()=>e2[hidden_state]==="readable"?Mr(e2,r3):c(void 0)),T2(()=>Promise.all(
a3.map(e3=>e3())),!0,r3)},i2.aborted)return void S2();i2.addEventListener("abort",S2)}function g2(){for(;!l2[hidden_shuttingDown]&&
!t2[hidden_backpressure]&&t2[hidden_state]==="writable"&&!At(t2)&&e2[hidden_state]==="readable"&&re(a2);)te(a2,_2);if(l2[hidden_shuttingDown])return c(
!0);if(t2[hidden_backpressure])return f(s2[hidden_readyPromise],g2);let r3=new _r(l2);return te(a2,r3),r3[hidden_promise]}var v2,w2,R2;if(pr(
e2,a2[hidden_closedPromise],e3=>(o2?P2(!0,e3):T2(()=>Wt(t2,e3),!0,e3),null)),pr(t2,s2[hidden_closedPromise],t3=>(n2?P2(!0,t3):T2(()=>Mr(
e2,t3),!0,t3),null)),v2=e2,w2=a2[hidden_closedPromise],R2=()=>(r2?P2():T2(()=>(function(e3){let t3=e3[hidden_ownerWritableStream],r3=t3[hidden_state];return At(t3)||r3==="closed"?c(void 0):r3==="errored"?d(t3[hidden_storedError]):Lt(e3)})(s2)),null),v2[hidden_state]==="closed"?
R2():b(w2,R2),At(t2)||t2[hidden_state]==="closed"){let t3=new TypeError("the destination writable stream closed before all data could be piped to it");n2?P2(!0,t3):T2(()=>Mr(e2,t3),!0,t3)}function T2(e3,r3,o3){function n3(){return h(e3(),()=>C2(r3,
o3),e4=>C2(!0,e4)),null}l2[hidden_shuttingDown]||(l2[hidden_shuttingDown]=!0,t2[hidden_state]!=="writable"||At(t2)?n3():b(l2[hidden_waitForWritesToFinish](),
n3))}function P2(e3,r3){l2[hidden_shuttingDown]||(l2[hidden_shuttingDown]=!0,t2[hidden_state]!=="writable"||At(t2)?C2(e3,r3):b(l2[hidden_waitForWritesToFinish](),
()=>C2(e3,r3)))}function C2(e3,t3){return Mt(s2),O(a2),i2!==void 0&&i2.removeEventListener("abort",S2),e3?y2(t3):m2(void 0),
null}p(u((e3,t3)=>{(function r3(o3){o3?e3():f(g2(),r3,t3)})(!1)}))})}var br=class{constructor(e2){this[hidden_writer]=e2,this[hidden_shuttingDown]=
!1,this[hidden_currentWrite]=c(void 0)}[hidden_waitForWritesToFinish](){let e2=this[hidden_currentWrite];return f(this[hidden_currentWrite],()=>e2!==
this[hidden_currentWrite]?this[hidden_waitForWritesToFinish]():void 0)}},_r=class{constructor(e2){this[hidden_state]=e2,this[hidden_promise]=u((e3,t2)=>{
this[hidden_resolvePromise]=e3,this[hidden_rejectPromise]=t2})}[hidden_chunkSteps](t2){this[hidden_state][hidden_currentWrite]=f(Yt(this[hidden_state][hidden_writer],t2),
void 0,e),this[hidden_resolvePromise](!1)}[hidden_closeSteps](){this[hidden_resolvePromise](!0)}[hidden_errorSteps](e2){this[hidden_rejectPromise](e2)}},mr=class{constructor(e2){
this[hidden_state]=e2}[hidden_chunkSteps](t2){this[hidden_state][hidden_currentWrite]=f(Yt(this[hidden_state][hidden_writer],t2),void 0,e)}[hidden_closeSteps](){}[hidden_errorSteps](e2){}};
function pr(e2,t2,r2){e2[hidden_state]==="errored"?r2(e2[hidden_storedError]):_(t2,r2)}var ReadableStreamDefaultController=class{constructor(){
throw new TypeError("Illegal constructor")}get desiredSize(){if(!yr(this))throw Er("desiredSize");return Pr(this)}close(){
if(!yr(this))throw Er("close");if(!Cr(this))throw new TypeError("The stream is not in a state that permits close");wr(this)}enqueue(e2=void 0){
if(!yr(this))throw Er("enqueue");if(!Cr(this))throw new TypeError("The stream is not in a state that permits enqueue");return Rr(
this,e2)}error(e2=void 0){if(!yr(this))throw Er("error");Tr(this,e2)}[T](e2){qe(this);let t2=this[hidden_cancelAlgorithm](e2);return vr(
this),t2}[P](e2){let t2=this[hidden_controlledReadableStream];if(this[hidden_queue].length>0){let r2=Pe(this);this[hidden_closeRequested]&&this[hidden_queue].length===0?(vr(this),Yr(t2)):Sr(this),e2[hidden_chunkSteps](r2)}else U(t2,e2),Sr(this)}[C](){return this[hidden_queue].length>0}[q](){}};
function yr(e2){return!!t(e2)&&!!Object.prototype.hasOwnProperty.call(e2,hidden_controlledReadableStream)&&e2 instanceof ReadableStreamDefaultController}
function Sr(e2){if(gr(e2)){if(e2[hidden_pulling])return void(e2[hidden_pullAgain]=!0);e2[hidden_pulling]=!0,h(e2[hidden_pullAlgorithm](),()=>(e2[hidden_pulling]=
!1,e2[hidden_pullAgain]&&(e2[hidden_pullAgain]=!1,Sr(e2)),null),t2=>(Tr(e2,t2),null))}}function gr(e2){let t2=e2[hidden_controlledReadableStream];
return!Cr(e2)||!e2[hidden_started]?!1:$r(t2)&&X(t2)>0?!0:Pr(e2)>0}function vr(e2){e2[hidden_pullAlgorithm]=void 0,e2[hidden_cancelAlgorithm]=
void 0,e2[hidden_strategySizeAlgorithm]=void 0}function wr(e2){if(!Cr(e2))return;let t2=e2[hidden_controlledReadableStream];e2[hidden_closeRequested]=
!0,e2[hidden_queue].length===0&&(vr(e2),Yr(t2))}function Rr(e2,t2){if(!Cr(e2))return;let r2=e2[hidden_controlledReadableStream];if($r(
r2)&&X(r2)>0)G(r2,t2,!1);else{let r3;try{r3=e2[hidden_strategySizeAlgorithm](t2)}catch(t3){throw Tr(e2,t3),t3}try{Ce(e2,t2,r3)}catch(t3){
throw Tr(e2,t3),t3}}Sr(e2)}function Tr(e2,t2){let r2=e2[hidden_controlledReadableStream];r2[hidden_state]==="readable"&&(qe(e2),vr(e2),
xr(r2,t2))}function Pr(e2){let t2=e2[hidden_controlledReadableStream][hidden_state];return t2==="errored"?null:t2==="closed"?0:e2[hidden_strategyHWM]-
e2[hidden_queueTotalSize]}function Cr(e2){let t2=e2[hidden_controlledReadableStream][hidden_state];return!e2[hidden_closeRequested]&&t2==="readable"}
function qr(e2,t2,r2,o2,n2,i2,a2){t2[hidden_controlledReadableStream]=e2,t2[hidden_queue]=void 0,t2[hidden_queueTotalSize]=void 0,qe(t2),t2[hidden_started]=
!1,t2[hidden_closeRequested]=!1,t2[hidden_pullAgain]=!1,t2[hidden_pulling]=!1,t2[hidden_strategySizeAlgorithm]=a2,t2[hidden_strategyHWM]=i2,t2[hidden_pullAlgorithm]=
o2,t2[hidden_cancelAlgorithm]=n2,e2[hidden_readableStreamController]=t2,h(c(r2()),()=>(t2[hidden_started]=!0,Sr(t2),null),e3=>(Tr(t2,e3),null))}
function Er(e2){return new TypeError(`ReadableStreamDefaultController.prototype.${e2} can only be used on a ReadableStreamDefaultController`)}function Wr(e2,t2){return Oe(e2[hidden_readableStreamController])?(function(e3){let t3,r2,o2,n2,i2,a2=V(e3),
s2=!1,l2=!1,d2=!1,f2=!1,h2=!1,b2=u(e4=>{i2=e4});function m2(e4){_(e4[hidden_closedPromise],t4=>(e4!==a2||(Xe(o2[hidden_readableStreamController],
t4),Xe(n2[hidden_readableStreamController],t4),f2&&h2||i2(void 0)),null))}function p2(){ft(a2)&&(O(a2),a2=V(e3),m2(a2)),te(a2,{
[hidden_chunkSteps]:t4=>{y(()=>{l2=!1,d2=!1;let r3=t4,a3=t4;if(!f2&&!h2)try{a3=Te(t4)}catch(t5){return Xe(o2[hidden_readableStreamController],
t5),Xe(n2[hidden_readableStreamController],t5),void i2(Mr(e3,t5))}f2||Ge(o2[hidden_readableStreamController],r3),h2||Ge(n2[hidden_readableStreamController],
a3),s2=!1,l2?g2():d2&&v2()})},[hidden_closeSteps]:()=>{s2=!1,f2||Ue(o2[hidden_readableStreamController]),h2||Ue(n2[hidden_readableStreamController]),
o2[hidden_readableStreamController][hidden_pendingPullIntos].length>0&&et(o2[hidden_readableStreamController],0),n2[hidden_readableStreamController][hidden_pendingPullIntos].length>0&&et(n2[hidden_readableStreamController],0),f2&&h2||i2(void 0)},[hidden_errorSteps]:()=>{s2=!1}})}function S2(t4,r3){
ee(a2)&&(O(a2),a2=at(e3),m2(a2));let u2=r3?n2:o2,c2=r3?o2:n2;ht(a2,t4,1,{[hidden_chunkSteps]:t5=>{y(()=>{l2=!1,d2=!1;let o3=r3?h2:
f2;if(r3?f2:h2)o3||tt(u2[hidden_readableStreamController],t5);else{let r4;try{r4=Te(t5)}catch(t6){return Xe(u2[hidden_readableStreamController],
t6),Xe(c2[hidden_readableStreamController],t6),void i2(Mr(e3,t6))}o3||tt(u2[hidden_readableStreamController],t5),Ge(c2[hidden_readableStreamController],
r4)}s2=!1,l2?g2():d2&&v2()})},[hidden_closeSteps]:e4=>{s2=!1;let t5=r3?h2:f2,o3=r3?f2:h2;t5||Ue(u2[hidden_readableStreamController]),o3||
Ue(c2[hidden_readableStreamController]),e4!==void 0&&(t5||tt(u2[hidden_readableStreamController],e4),!o3&&c2[hidden_readableStreamController][hidden_pendingPullIntos].length>0&&et(c2[hidden_readableStreamController],0)),t5&&o3||i2(void 0)},[hidden_errorSteps]:()=>{s2=!1}})}function g2(){
if(s2)return l2=!0,c(void 0);s2=!0;let e4=Ke(o2[hidden_readableStreamController]);return e4===null?p2():S2(e4[hidden_view],!1),c(void 0)}
function v2(){if(s2)return d2=!0,c(void 0);s2=!0;let e4=Ke(n2[hidden_readableStreamController]);return e4===null?p2():S2(e4[hidden_view],
!0),c(void 0)}function w2(o3){if(f2=!0,t3=o3,h2){let o4=le([t3,r2]),n3=Mr(e3,o4);i2(n3)}return b2}function R2(o3){if(h2=
!0,r2=o3,f2){let o4=le([t3,r2]),n3=Mr(e3,o4);i2(n3)}return b2}function T2(){}return o2=Fr(T2,g2,w2),n2=Fr(T2,v2,R2),m2(a2),
[o2,n2]})(e2):(function(e3){let t3=V(e3),r2,o2,n2,i2,a2,s2=!1,l2=!1,d2=!1,f2=!1,h2=u(e4=>{a2=e4});function b2(){return s2?
(l2=!0,c(void 0)):(s2=!0,te(t3,{[hidden_chunkSteps]:e4=>{y(()=>{l2=!1;let t4=e4,r3=e4;d2||Rr(n2[hidden_readableStreamController],t4),f2||
Rr(i2[hidden_readableStreamController],r3),s2=!1,l2&&b2()})},[hidden_closeSteps]:()=>{s2=!1,d2||wr(n2[hidden_readableStreamController]),f2||wr(
i2[hidden_readableStreamController]),d2&&f2||a2(void 0)},[hidden_errorSteps]:()=>{s2=!1}}),c(void 0))}function m2(t4){if(d2=!0,r2=t4,f2){
let t5=le([r2,o2]),n3=Mr(e3,t5);a2(n3)}return h2}function p2(t4){if(f2=!0,o2=t4,d2){let t5=le([r2,o2]),n3=Mr(e3,t5);a2(n3)}
return h2}function S2(){}return n2=Dr(S2,b2,m2),i2=Dr(S2,b2,p2),_(t3[hidden_closedPromise],e4=>(Tr(n2[hidden_readableStreamController],
e4),Tr(i2[hidden_readableStreamController],e4),d2&&f2||a2(void 0),null)),[n2,i2]})(e2)}function Or(r2){return t(o2=r2)&&o2.getReader!==
void 0?(function(r3){let o3;function n2(){let e2;try{e2=r3.read()}catch(e3){return d(e3)}return m(e2,e3=>{if(!t(e3))throw new TypeError(
"The promise returned by the reader.read() method must fulfill with an object");if(e3.done)wr(o3[hidden_readableStreamController]);else{
let t2=e3.value;Rr(o3[hidden_readableStreamController],t2)}})}function i2(e2){try{return c(r3.cancel(e2))}catch(e3){return d(e3)}}
return o3=Dr(e,n2,i2,0),o3})(r2.getReader()):(function(r3){let o3,n2=me(r3,"async");function i2(){let e2;try{e2=pe(n2)}catch(e3){
return d(e3)}return m(c(e2),e3=>{if(!t(e3))throw new TypeError("The promise returned by the iterator.next() method must fulfill with an object");if(e3.done)wr(o3[hidden_readableStreamController]);else{let t2=e3.value;Rr(o3[hidden_readableStreamController],
t2)}})}function a2(e2){let r4=n2.iterator,o4;try{o4=he(r4,"return")}catch(e3){return d(e3)}return o4===void 0?c(void 0):
m(g(o4,r4,[e2]),e3=>{if(!t(e3))throw new TypeError("The promise returned by the iterator.return() method must fulfill with an object")})}return o3=Dr(e,i2,a2,0),o3})(r2);var o2}function Br(e2,t2,r2){return I(e2,r2),r3=>g(e2,t2,[r3])}function jr(e2,t2,r2){
return I(e2,r2),r3=>g(e2,t2,[r3])}function kr(e2,t2,r2){return I(e2,r2),r3=>S(e2,t2,[r3])}function Ar(e2,t2){if((e2=`${e2}`)!=
"bytes")throw new TypeError(`${t2} '${e2}' is not a valid enumeration value for ReadableStreamType`);return e2}function zr(e2,t2){
L(e2,t2);let r2=e2?.preventAbort,o2=e2?.preventCancel,n2=e2?.preventClose,i2=e2?.signal;return i2!==void 0&&(function(e3,t3){
if(!(function(e4){if(typeof e4!="object"||e4===null)return!1;try{return typeof e4.aborted=="boolean"}catch{return!1}})(e3))
throw new TypeError(`${t3} is not an AbortSignal.`)})(i2,`${t2} has member 'signal' that`),{preventAbort:!!r2,preventCancel:!!o2,
preventClose:!!n2,signal:i2}}Object.defineProperties(ReadableStreamDefaultController.prototype,{close:{enumerable:!0},enqueue:{
enumerable:!0},error:{enumerable:!0},desiredSize:{enumerable:!0}}),o(ReadableStreamDefaultController.prototype.close,"close"),o(ReadableStreamDefaultController.prototype.enqueue,"enqueue"),o(ReadableStreamDefaultController.prototype.error,"error"),typeof Symbol.toStringTag=="symbol"&&Object.defineProperty(ReadableStreamDefaultController.prototype,Symbol.toStringTag,
{value:"ReadableStreamDefaultController",configurable:!0});var ReadableStream=class{constructor(e2={},t2={}){e2===void 0?
e2=null:$(e2,"First parameter");let r2=yt(t2,"Second parameter"),o2=(function(e3,t3){L(e3,t3);let r3=e3,o3=r3?.autoAllocateChunkSize,
n2=r3?.cancel,i2=r3?.pull,a2=r3?.start,s2=r3?.type;return{autoAllocateChunkSize:o3===void 0?void 0:N(o3,`${t3} has member 'autoAllocateChunkSize' that`),cancel:n2===void 0?void 0:Br(n2,r3,`${t3} has member 'cancel' that`),pull:i2===void 0?void 0:
jr(i2,r3,`${t3} has member 'pull' that`),start:a2===void 0?void 0:kr(a2,r3,`${t3} has member 'start' that`),type:s2===void 0?
void 0:Ar(s2,`${t3} has member 'type' that`)}})(e2,"First parameter");if(Lr(this),o2.type==="bytes"){if(r2.size!==void 0)
throw new RangeError("The strategy for a byte stream cannot have a size function");(function(e3,t3,r3){let o3=Object.create(
ReadableByteStreamController.prototype),n2,i2,a2;n2=t3.start!==void 0?()=>t3.start(o3):()=>{},i2=t3.pull!==void 0?()=>t3.
pull(o3):()=>c(void 0),a2=t3.cancel!==void 0?e4=>t3.cancel(e4):()=>c(void 0);let s2=t3.autoAllocateChunkSize;if(s2===0)throw new TypeError(
"autoAllocateChunkSize must be greater than 0");rt(e3,o3,n2,i2,a2,r3,s2)})(this,o2,mt(r2,0))}else{let e3=pt(r2);(function(e4,t3,r3,o3){
let n2=Object.create(ReadableStreamDefaultController.prototype),i2,a2,s2;i2=t3.start!==void 0?()=>t3.start(n2):()=>{},a2=
t3.pull!==void 0?()=>t3.pull(n2):()=>c(void 0),s2=t3.cancel!==void 0?e5=>t3.cancel(e5):()=>c(void 0),qr(e4,n2,i2,a2,s2,r3,
o3)})(this,o2,mt(r2,1),e3)}}get locked(){if(!Ir(this))throw Qr("locked");return $r(this)}cancel(e2=void 0){return Ir(this)?
$r(this)?d(new TypeError("Cannot cancel a stream that already has a reader")):Mr(this,e2):d(Qr("cancel"))}getReader(e2=void 0){
if(!Ir(this))throw Qr("getReader");return(function(e3,t2){L(e3,t2);let r2=e3?.mode;return{mode:r2===void 0?void 0:it(r2,
`${t2} has member 'mode' that`)}})(e2,"First parameter").mode===void 0?V(this):at(this)}pipeThrough(e2,t2={}){if(!Ir(this))
throw Qr("pipeThrough");M(e2,1,"pipeThrough");let r2=(function(e3,t3){L(e3,t3);let r3=e3?.readable;Y(r3,"readable","ReadableWritablePair"),H(r3,`${t3} has member 'readable' that`);let o3=e3?.writable;return Y(o3,"writable","ReadableWritablePair"),Tt(o3,`${t3} has member 'writable' that`),{readable:r3,writable:o3}})(e2,"First parameter"),o2=zr(t2,"Second parameter");if($r(this))throw new TypeError("ReadableStream.prototype.pipeThrough cannot be used on a locked ReadableStream");
if(Et(r2.writable))throw new TypeError("ReadableStream.prototype.pipeThrough cannot be used on a locked WritableStream");
return p(hr(this,r2.writable,o2.preventClose,o2.preventAbort,o2.preventCancel,o2.signal)),r2.readable}pipeTo(e2,t2={}){if(!Ir(
this))return d(Qr("pipeTo"));if(e2===void 0)return d("Parameter 1 is required in 'pipeTo'.");if(!qt(e2))return d(new TypeError(
"ReadableStream.prototype.pipeTo's first argument must be a WritableStream"));let r2;try{r2=zr(t2,"Second parameter")}catch(e3){
return d(e3)}return $r(this)?d(new TypeError("ReadableStream.prototype.pipeTo cannot be used on a locked ReadableStream")):
Et(e2)?d(new TypeError("ReadableStream.prototype.pipeTo cannot be used on a locked WritableStream")):hr(this,e2,r2.preventClose,
r2.preventAbort,r2.preventCancel,r2.signal)}tee(){if(!Ir(this))throw Qr("tee");return le(Wr(this))}values(e2=void 0){if(!Ir(
this))throw Qr("values");return(function(e3,t2){let r2=V(e3),o2=new ye(r2,t2),n2=Object.create(ge);return n2[hidden_asyncIteratorImpl]=
o2,n2})(this,(function(e3,t2){return L(e3,t2),{preventCancel:!!e3?.preventCancel}})(e2,"First parameter").preventCancel)}[_e](e2){
return this.values(e2)}static from(e2){return Or(e2)}};function Dr(e2,t2,r2,o2=1,n2=()=>1){let i2=Object.create(ReadableStream.
prototype);return Lr(i2),qr(i2,Object.create(ReadableStreamDefaultController.prototype),e2,t2,r2,o2,n2),i2}function Fr(e2,t2,r2){
let o2=Object.create(ReadableStream.prototype);return Lr(o2),rt(o2,Object.create(ReadableByteStreamController.prototype),
e2,t2,r2,0,void 0),o2}function Lr(e2){e2[hidden_state]="readable",e2[hidden_reader]=void 0,e2[hidden_storedError]=void 0,e2[hidden_disturbed]=!1}function Ir(e2){
return!!t(e2)&&!!Object.prototype.hasOwnProperty.call(e2,hidden_readableStreamController)&&e2 instanceof ReadableStream}function $r(e2){
return e2[hidden_reader]!==void 0}function Mr(t2,r2){if(t2[hidden_disturbed]=!0,t2[hidden_state]==="closed")return c(void 0);if(t2[hidden_state]==="errored")return d(t2[hidden_storedError]);Yr(t2);let o2=t2[hidden_reader];if(o2!==void 0&&ft(o2)){let e2=o2[hidden_readIntoRequests];o2[hidden_readIntoRequests]=
new v,e2.forEach(e3=>{e3[hidden_closeSteps](void 0)})}return m(t2[hidden_readableStreamController][T](r2),e)}function Yr(e2){e2[hidden_state]=
"closed";let t2=e2[hidden_reader];if(t2!==void 0&&(z(t2),ee(t2))){let e3=t2[hidden_readRequests];t2[hidden_readRequests]=new v,e3.forEach(e4=>{
e4[hidden_closeSteps]()})}}function xr(e2,t2){e2[hidden_state]="errored",e2[hidden_storedError]=t2;let r2=e2[hidden_reader];r2!==void 0&&(A(r2,t2),ee(
r2)?oe(r2,t2):bt(r2,t2))}function Qr(e2){return new TypeError(`ReadableStream.prototype.${e2} can only be used on a ReadableStream`)}function Nr(e2,t2){L(e2,t2);let r2=e2?.highWaterMark;return Y(r2,"highWaterMark","QueuingStrategyInit"),{highWaterMark:x(
r2)}}Object.defineProperties(ReadableStream,{from:{enumerable:!0}}),Object.defineProperties(ReadableStream.prototype,{cancel:{
enumerable:!0},getReader:{enumerable:!0},pipeThrough:{enumerable:!0},pipeTo:{enumerable:!0},tee:{enumerable:!0},values:{
enumerable:!0},locked:{enumerable:!0}}),o(ReadableStream.from,"from"),o(ReadableStream.prototype.cancel,"cancel"),o(ReadableStream.
prototype.getReader,"getReader"),o(ReadableStream.prototype.pipeThrough,"pipeThrough"),o(ReadableStream.prototype.pipeTo,
"pipeTo"),o(ReadableStream.prototype.tee,"tee"),o(ReadableStream.prototype.values,"values"),typeof Symbol.toStringTag=="symbol"&&Object.defineProperty(ReadableStream.prototype,Symbol.toStringTag,{value:"ReadableStream",configurable:!0}),Object.
defineProperty(ReadableStream.prototype,_e,{value:ReadableStream.prototype.values,writable:!0,configurable:!0});var Hr=e2=>e2.
byteLength;o(Hr,"size");var ByteLengthQueuingStrategy=class{constructor(e2){M(e2,1,"ByteLengthQueuingStrategy"),e2=Nr(e2,
"First parameter"),this[hidden_byteLengthQueuingStrategyHighWaterMark]=e2.highWaterMark}get highWaterMark(){if(!Ur(this))throw Vr(
"highWaterMark");return this[hidden_byteLengthQueuingStrategyHighWaterMark]}get size(){if(!Ur(this))throw Vr("size");return Hr}};
function Vr(e2){return new TypeError(`ByteLengthQueuingStrategy.prototype.${e2} can only be used on a ByteLengthQueuingStrategy`)}function Ur(e2){return!!t(e2)&&!!Object.prototype.hasOwnProperty.call(e2,hidden_byteLengthQueuingStrategyHighWaterMark)&&e2 instanceof ByteLengthQueuingStrategy}Object.defineProperties(ByteLengthQueuingStrategy.prototype,{highWaterMark:{
enumerable:!0},size:{enumerable:!0}}),typeof Symbol.toStringTag=="symbol"&&Object.defineProperty(ByteLengthQueuingStrategy.
prototype,Symbol.toStringTag,{value:"ByteLengthQueuingStrategy",configurable:!0});var Gr=()=>1;o(Gr,"size");var CountQueuingStrategy=class{constructor(e2){
M(e2,1,"CountQueuingStrategy"),e2=Nr(e2,"First parameter"),this[hidden_countQueuingStrategyHighWaterMark]=e2.highWaterMark}get highWaterMark(){
if(!Jr(this))throw Xr("highWaterMark");return this[hidden_countQueuingStrategyHighWaterMark]}get size(){if(!Jr(this))throw Xr("size");return Gr}};function Xr(e2){return new TypeError(`CountQueuingStrategy.prototype.${e2} can only be used on a CountQueuingStrategy`)}function Jr(e2){return!!t(e2)&&!!Object.prototype.hasOwnProperty.call(e2,hidden_countQueuingStrategyHighWaterMark)&&e2 instanceof CountQueuingStrategy}function Kr(e2,t2,r2){return I(e2,r2),r3=>g(e2,t2,[r3])}function Zr(e2,t2,r2){
return I(e2,r2),r3=>S(e2,t2,[r3])}function eo(e2,t2,r2){return I(e2,r2),(r3,o2)=>g(e2,t2,[r3,o2])}function to(e2,t2,r2){
return I(e2,r2),r3=>g(e2,t2,[r3])}Object.defineProperties(CountQueuingStrategy.prototype,{highWaterMark:{enumerable:!0},
size:{enumerable:!0}}),typeof Symbol.toStringTag=="symbol"&&Object.defineProperty(CountQueuingStrategy.prototype,Symbol.
toStringTag,{value:"CountQueuingStrategy",configurable:!0});var TransformStream=class{constructor(e2={},t2={},r2={}){e2===
void 0&&(e2=null);let o2=yt(t2,"Second parameter"),n2=yt(r2,"Third parameter"),i2=(function(e3,t3){L(e3,t3);let r3=e3?.cancel,
o3=e3?.flush,n3=e3?.readableType,i3=e3?.start,a3=e3?.transform,s3=e3?.writableType;return{cancel:r3===void 0?void 0:to(r3,
e3,`${t3} has member 'cancel' that`),flush:o3===void 0?void 0:Kr(o3,e3,`${t3} has member 'flush' that`),readableType:n3,
start:i3===void 0?void 0:Zr(i3,e3,`${t3} has member 'start' that`),transform:a3===void 0?void 0:eo(a3,e3,`${t3} has member 'transform' that`),writableType:s3}})(e2,"First parameter");if(i2.readableType!==void 0)throw new RangeError("Invalid readableType specified");if(i2.writableType!==void 0)throw new RangeError("Invalid writableType specified");let a2=mt(n2,
0),s2=pt(n2),l2=mt(o2,1),f2=pt(o2),b2;(function(e3,t3,r3,o3,n3,i3){function a3(){return t3}function s3(t4){return(function(e4,t5){
let r4=e4[hidden_transformStreamController];return e4[hidden_backpressure]?m(e4[hidden_backpressureChangePromise],()=>{let o4=e4[hidden_writable];if(o4[hidden_state]==="erroring")throw o4[hidden_storedError];return co(r4,t5)}):co(r4,t5)})(e3,t4)}function l3(t4){return(function(e4,t5){let r4=e4[hidden_transformStreamController];if(r4[hidden_finishPromise]!==void 0)return r4[hidden_finishPromise];let o4=e4[hidden_readable];r4[hidden_finishPromise]=
u((e5,t6)=>{r4[hidden_finishPromise_resolve]=e5,r4[hidden_finishPromise_reject]=t6});let n4=r4[hidden_cancelAlgorithm](t5);return lo(r4),h(n4,
()=>(o4[hidden_state]==="errored"?bo(r4,o4[hidden_storedError]):(Tr(o4[hidden_readableStreamController],t5),ho(r4)),null),e5=>(Tr(o4[hidden_readableStreamController],
e5),bo(r4,e5),null)),r4[hidden_finishPromise]})(e3,t4)}function c2(){return(function(e4){let t4=e4[hidden_transformStreamController];if(t4[hidden_finishPromise]!==void 0)return t4[hidden_finishPromise];let r4=e4[hidden_readable];t4[hidden_finishPromise]=u((e5,r5)=>{t4[hidden_finishPromise_resolve]=
e5,t4[hidden_finishPromise_reject]=r5});let o4=t4[hidden_flushAlgorithm]();return lo(t4),h(o4,()=>(r4[hidden_state]==="errored"?bo(t4,r4[hidden_storedError]):
(wr(r4[hidden_readableStreamController]),ho(t4)),null),e5=>(Tr(r4[hidden_readableStreamController],e5),bo(t4,e5),null)),t4[hidden_finishPromise]})(
e3)}function d2(){return(function(e4){return ao(e4,!1),e4[hidden_backpressureChangePromise]})(e3)}function f3(t4){return(function(e4,t5){
let r4=e4[hidden_transformStreamController];if(r4[hidden_finishPromise]!==void 0)return r4[hidden_finishPromise];let o4=e4[hidden_writable];r4[hidden_finishPromise]=
u((e5,t6)=>{r4[hidden_finishPromise_resolve]=e5,r4[hidden_finishPromise_reject]=t6});let n4=r4[hidden_cancelAlgorithm](t5);return lo(r4),h(n4,
()=>(o4[hidden_state]==="errored"?bo(r4,o4[hidden_storedError]):(Gt(o4[hidden_writableStreamController],t5),io(e4),ho(r4)),null),t6=>(Gt(o4[hidden_writableStreamController],
t6),io(e4),bo(r4,t6),null)),r4[hidden_finishPromise]})(e3,t4)}e3[hidden_writable]=(function(e4,t4,r4,o4,n4=1,i4=()=>1){let a4=Object.create(
WritableStream.prototype);return Ct(a4),Nt(a4,Object.create(WritableStreamDefaultController.prototype),e4,t4,r4,o4,n4,i4),
a4})(a3,s3,c2,l3,r3,o3),e3[hidden_readable]=Dr(a3,d2,f3,n3,i3),e3[hidden_backpressure]=void 0,e3[hidden_backpressureChangePromise]=void 0,e3[hidden_backpressureChangePromise_resolve]=void 0,ao(e3,!0),e3[hidden_transformStreamController]=void 0})(this,u(e3=>{b2=e3}),l2,f2,a2,
s2),(function(e3,t3){let r3=Object.create(TransformStreamDefaultController.prototype),o3,n3,i3;o3=t3.transform!==void 0?
e4=>t3.transform(e4,r3):e4=>{try{return uo(r3,e4),c(void 0)}catch(e5){return d(e5)}},n3=t3.flush!==void 0?()=>t3.flush(r3):
()=>c(void 0),i3=t3.cancel!==void 0?e4=>t3.cancel(e4):()=>c(void 0),(function(e4,t4,r4,o4,n4){t4[hidden_controlledTransformStream]=
e4,e4[hidden_transformStreamController]=t4,t4[hidden_transformAlgorithm]=r4,t4[hidden_flushAlgorithm]=o4,t4[hidden_cancelAlgorithm]=n4,t4[hidden_finishPromise]=
void 0,t4[hidden_finishPromise_resolve]=void 0,t4[hidden_finishPromise_reject]=void 0})(e3,r3,o3,n3,i3)})(this,i2),i2.start!==void 0?b2(
i2.start(this[hidden_transformStreamController])):b2(void 0)}get readable(){if(!ro(this))throw _o("readable");return this[hidden_readable]}get writable(){
if(!ro(this))throw _o("writable");return this[hidden_writable]}};function ro(e2){return!!t(e2)&&!!Object.prototype.hasOwnProperty.
call(e2,hidden_transformStreamController)&&e2 instanceof TransformStream}function oo(e2,t2){Tr(e2[hidden_readable][hidden_readableStreamController],
t2),no(e2,t2)}function no(e2,t2){lo(e2[hidden_transformStreamController]),Gt(e2[hidden_writable][hidden_writableStreamController],t2),io(e2)}
function io(e2){e2[hidden_backpressure]&&ao(e2,!1)}function ao(e2,t2){e2[hidden_backpressureChangePromise]!==void 0&&e2[hidden_backpressureChangePromise_resolve](),
e2[hidden_backpressureChangePromise]=u(t3=>{e2[hidden_backpressureChangePromise_resolve]=t3}),e2[hidden_backpressure]=t2}Object.defineProperties(
TransformStream.prototype,{readable:{enumerable:!0},writable:{enumerable:!0}}),typeof Symbol.toStringTag=="symbol"&&Object.
defineProperty(TransformStream.prototype,Symbol.toStringTag,{value:"TransformStream",configurable:!0});var TransformStreamDefaultController=class{constructor(){
throw new TypeError("Illegal constructor")}get desiredSize(){if(!so(this))throw fo("desiredSize");return Pr(this[hidden_controlledTransformStream][hidden_readable][hidden_readableStreamController])}enqueue(e2=void 0){if(!so(this))throw fo("enqueue");uo(this,e2)}error(e2=void 0){if(!so(
this))throw fo("error");var t2;t2=e2,oo(this[hidden_controlledTransformStream],t2)}terminate(){if(!so(this))throw fo("terminate");
(function(e2){let t2=e2[hidden_controlledTransformStream];wr(t2[hidden_readable][hidden_readableStreamController]);let r2=new TypeError("TransformStream terminated");no(t2,r2)})(this)}};function so(e2){return!!t(e2)&&!!Object.prototype.hasOwnProperty.call(e2,hidden_controlledTransformStream)&&e2 instanceof TransformStreamDefaultController}function lo(e2){e2[hidden_transformAlgorithm]=void 0,
e2[hidden_flushAlgorithm]=void 0,e2[hidden_cancelAlgorithm]=void 0}function uo(e2,t2){let r2=e2[hidden_controlledTransformStream],o2=r2[hidden_readable][hidden_readableStreamController];if(!Cr(o2))throw new TypeError("Readable side is not in a state that permits enqueue");try{Rr(
o2,t2)}catch(e3){throw no(r2,e3),r2[hidden_readable][hidden_storedError]}(function(e3){return!gr(e3)})(o2)!==r2[hidden_backpressure]&&ao(r2,!0)}
function co(e2,t2){return m(e2[hidden_transformAlgorithm](t2),void 0,t3=>{throw oo(e2[hidden_controlledTransformStream],t3),t3})}function fo(e2){
return new TypeError(`TransformStreamDefaultController.prototype.${e2} can only be used on a TransformStreamDefaultController`)}function ho(e2){e2[hidden_finishPromise_resolve]!==void 0&&(e2[hidden_finishPromise_resolve](),e2[hidden_finishPromise_resolve]=void 0,
e2[hidden_finishPromise_reject]=void 0)}function bo(e2,t2){e2[hidden_finishPromise_reject]!==void 0&&(p(e2[hidden_finishPromise]),e2[hidden_finishPromise_reject](
t2),e2[hidden_finishPromise_resolve]=void 0,e2[hidden_finishPromise_reject]=void 0)}function _o(e2){return new TypeError(`TransformStream.prototype.${e2} can only be used on a TransformStream`)}Object.defineProperties(TransformStreamDefaultController.prototype,
{enqueue:{enumerable:!0},error:{enumerable:!0},terminate:{enumerable:!0},desiredSize:{enumerable:!0}}),o(TransformStreamDefaultController.
prototype.enqueue,"enqueue"),o(TransformStreamDefaultController.prototype.error,"error"),o(TransformStreamDefaultController.
prototype.terminate,"terminate"),typeof Symbol.toStringTag=="symbol"&&Object.defineProperty(TransformStreamDefaultController.
prototype,Symbol.toStringTag,{value:"TransformStreamDefaultController",configurable:!0});var isDisturbed=stream=>stream[hidden_disturbed];return __toCommonJS(stdin_exports);})();
return library;
})
