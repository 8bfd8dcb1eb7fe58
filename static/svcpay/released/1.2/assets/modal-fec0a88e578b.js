"use strict";(()=>{function s(a,e,n="integration_error",i){return i?{message:e,code:a,type:n,field:i}:{message:e,code:a,type:n}}function v(a){let e=a;return e&&typeof e.code=="string"&&typeof e.type=="string"?e:s("internal_error","Something went wrong. Please try again.","api_error")}function T(a,e){let n=new Map,i=0,r,c=t=>a.postMessage(t),m=async({name:t,body:l,call:o})=>{if(!(!t||!Object.hasOwn(e,t)))try{let d=await e[t](l);o&&c({reply:o,body:d})}catch(d){o&&c({reply:o,error:v(d)})}};return a.onmessage=({data:t})=>{t.reply?n.get(t.reply)?.(t):m(t)},{send:(t,l)=>c({name:t,body:l}),call:(t,l,o=0)=>new Promise((d,x)=>{if(r)return x(r);let p=++i,g=s("timeout","The payment form did not answer in time.","api_connection_error"),u=o?setTimeout(()=>f({error:g}),o):0,f=({error:w,body:P})=>{clearTimeout(u),n.delete(p),w?x(w):d(P)};n.set(p,f),c({name:t,body:l,call:p})}),close:t=>{r=t,a.close();for(let l of[...n.values()])l({error:t})}}}var R="svcpay:hello";var S=15e3,C=5e3,F=3e3,U=[500,3e3];function O(a,{url:e,title:n,popups:i,retry:r,handlers:c,settings:m,opened:t,failed:l}){let o=document.createElement("iframe"),d=i?" allow-popups allow-popups-to-escape-sandbox":"";o.setAttribute("sandbox","allow-scripts allow-same-origin allow-forms"+d),o.title=n,o.src=e;let x=r?[...U]:[],p=!1,g,u=0,f=(h,k)=>{clearTimeout(u),u=setTimeout(()=>{let y=p?void 0:x.shift();y?u=setTimeout(P,y):l(r&&!p?q:h)},k)},w=()=>{p=!0,f(M,C)},P=()=>{o.contentWindow?.location.replace(e),f(L,S)};return f(L,S),o.onload=()=>{g?.close(s("not_ready","The payment form was reloaded."));let{port1:h,port2:k}=new MessageChannel;p=!1;let y=g=T(h,{...c,here:w});o.contentWindow.postMessage(R,new URL(e).origin,[k]),f(M,r?F:C),y.call("init",m()).then(_=>{clearTimeout(u),t(y,_)},_=>{y===g&&(clearTimeout(u),l(_))})},a.append(o),{element:o,close(h){clearTimeout(u),o.onload=null,o.remove(),g?g.close(h):l(h)}}}var L=s("frame_timeout","The payment form did not load in time.","api_connection_error"),M=s("frame_blocked","The payment form could not be shown on this page. Check the allowed origins of the public key and the Content-Security-Policy of the page."),q=s("frame_unavailable","The payment field did not load. Try again.","api_connection_error");var N=`
:host { all: initial; }
* { box-sizing: border-box; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
dialog {
  --back: #fff; --text: #18181b; --quiet: #52525b; --accent: #1d4ed8;
  color-scheme: light;
  inset: 0; width: 100%; height: 100%; max-width: none; max-height: none; margin: auto; padding: 0; border: 0;
  background: var(--back); color: var(--text); overflow: hidden; overscroll-behavior: contain;
}
dialog.dark { --back: #18181b; --text: #f4f4f5; --quiet: #a1a1aa; --accent: #93c5fd; color-scheme: dark; }
dialog[open] { display: grid; grid-template: 44px 1fr / 1fr; }
dialog:focus { outline: 0; }
dialog::backdrop { background: rgb(9 9 11 / 60%); }
button { border: 0; background: none; color: inherit; cursor: pointer; }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.close { justify-self: end; width: 44px; font-size: 26px; line-height: 1; color: var(--quiet); border-radius: 8px; }
.close:hover { color: var(--text); }
.wait, .fail, iframe { grid-area: 2 / 1; }
.wait, .fail { place-self: center; margin: 0; padding: 24px; text-align: center; color: var(--quiet); }
.fail p { margin: 0 0 16px; }
.again { padding: 9px 18px; border: 1px solid currentColor; border-radius: 8px; color: var(--text); font-weight: 600; }
.wait::before {
  content: ''; display: block; width: 32px; height: 32px; margin: 0 auto 12px; border-radius: 50%;
  border: 3px solid; border-right-color: transparent; animation: turn 0.9s linear infinite;
}
iframe { width: 100%; height: 100%; border: 0; }
dialog:not([data-state=loading]) .wait, dialog:not([data-state=failed]) .fail { display: none; }
dialog:not([data-state=open]) iframe { visibility: hidden; }
@keyframes turn { to { transform: rotate(1turn); } }
@keyframes rise { from { opacity: 0; transform: translateY(12px); } }
@media (min-width: 560px) {
  dialog {
    width: 480px; height: min(720px, calc(100% - 32px)); border-radius: 16px; box-shadow: 0 24px 64px rgb(0 0 0 / 35%);
  }
}
@media (prefers-reduced-motion: no-preference) { dialog { animation: rise 0.18s ease-out; } }
@media (prefers-reduced-motion: reduce) { .wait::before { animation-duration: 4s; } }
@media (forced-colors: active) { dialog { border: 1px solid; } }
`.replace(/\n\s*/g,"");var I={en:{close:"Close",wait:"Loading…",again:"Try again",late:"The payment form did not load in time.",fail:"This form cannot be opened right now. Please try again later."},es:{close:"Cerrar",wait:"Cargando…",again:"Intentar de nuevo",late:"El formulario de pago no se cargó a tiempo.",fail:"Este formulario no se puede abrir en este momento. Inténtelo de nuevo más tarde."},fr:{close:"Fermer",wait:"Chargement…",again:"Réessayer",late:"Le formulaire de paiement n’a pas été chargé à temps.",fail:"Ce formulaire ne peut pas être ouvert pour le moment. Réessayez plus tard."}},E=class{#r=document.createElement("div");#e=b("dialog");#o=b("p");#t;#n;#p=document.documentElement.style.overflow;#a=0;#l=new MutationObserver(()=>this.open||this.close());constructor(e){this.#t=e,this.#u(),document.body.append(this.#r),document.documentElement.style.overflow="hidden",this.#l.observe(document,{childList:!0,subtree:!0}),this.#e.showModal(),this.#c()}get open(){return this.#r.isConnected}close(){this.#a++,this.#l.disconnect(),this.#n?.close(s("field_not_mounted","The dialog was closed.")),this.#e.close(),this.#r.remove(),document.documentElement.style.overflow=this.#p}#u(){let e=new CSSStyleSheet;e.replaceSync(N);let n=this.#r.attachShadow({mode:"open"});n.adoptedStyleSheets=[e],n.append(this.#e);let{title:i,scheme:r,language:c}=this.#t,m=I[c.slice(0,2)],t=b("button",{className:"close",type:"button",textContent:"×",ariaLabel:m.close});t.onclick=()=>this.#i();let l=b("button",{className:"again",type:"button",textContent:m.again});l.onclick=()=>{this.#c()};let o=b("p",{className:"wait",textContent:m.wait,role:"status"}),d=b("div",{className:"fail"});this.#o.role="alert",d.append(this.#o,l),this.#e.append(t,o,d),Object.assign(this.#e,{ariaLabel:i,className:r,lang:c,tabIndex:-1}),this.#e.onclose=()=>this.#i()}async#c(){let e=++this.#a,n=()=>e===this.#a,i=r=>n()&&!this.#d("open")&&this.#g(r);this.#n?.close(s("field_not_mounted","The dialog loads again.")),this.#n=void 0,this.#s("loading"),this.#o.textContent="",this.#e.focus();try{let r=await this.#t.address();n()&&(this.#n=this.#m(r,i))}catch(r){i(v(r))}}#m(e,n){let i=O(this.#e,{url:e,title:this.#t.title,popups:!0,settings:()=>{},handlers:{result:r=>this.#i(r),close:()=>this.#i()},opened:r=>{let c=this.#d("open");this.#s("open"),c||i.element.focus(),this.#r.shadowRoot.activeElement===i.element&&r.send("focus")},failed:n});return i}#d(e){return this.#e.dataset.state===e}#s(e){this.#e.dataset.state=e}#g(e){let{late:n,fail:i}=I[this.#t.language.slice(0,2)],r=["api_connection_error","rate_limit_error"].includes(e.type);this.#s("failed"),this.#o.textContent=e.code==="frame_timeout"?n:r?e.message:i,this.#t.failed(e)}#i(e){this.open&&(this.close(),this.#t.done(e))}};function b(a,e={}){return Object.assign(document.createElement(a),e)}var te=globalThis.document?.currentScript?.nonce,re=s("network_error","The payment service could not be reached. Check the connection and try again.","api_connection_error"),oe=s("script_blocked","The Content-Security-Policy of the page blocks a script of the payment form.");var D="svcpay:part";function A(a){document.currentScript.dispatchEvent(new CustomEvent(D,{detail:a}))}var H={Modal:E};A(H);})();
