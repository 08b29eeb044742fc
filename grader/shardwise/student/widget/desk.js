// Built from desk/ by "make desk"; not to be edited. Digest of the sources: 1a604c5c105b
var Z=globalThis,X=Z.ShadowRoot&&(Z.ShadyCSS===void 0||Z.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,yt=Symbol(),Lt=new WeakMap,z=class{constructor(t,e,r){if(this._$cssResult$=!0,r!==yt)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=t,this.t=e}get styleSheet(){let t=this.o,e=this.t;if(X&&t===void 0){let r=e!==void 0&&e.length===1;r&&(t=Lt.get(e)),t===void 0&&((this.o=t=new CSSStyleSheet).replaceSync(this.cssText),r&&Lt.set(e,t))}return t}toString(){return this.cssText}},jt=s=>new z(typeof s=="string"?s:s+"",void 0,yt),N=(s,...t)=>{let e=s.length===1?s[0]:t.reduce((r,i,o)=>r+(n=>{if(n._$cssResult$===!0)return n.cssText;if(typeof n=="number")return n;throw Error("Value passed to 'css' function must be a 'css' function result: "+n+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(i)+s[o+1],s[0]);return new z(e,s,yt)},Dt=(s,t)=>{if(X)s.adoptedStyleSheets=t.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let e of t){let r=document.createElement("style"),i=Z.litNonce;i!==void 0&&r.setAttribute("nonce",i),r.textContent=e.cssText,s.appendChild(r)}},vt=X?s=>s:s=>s instanceof CSSStyleSheet?(t=>{let e="";for(let r of t.cssRules)e+=r.cssText;return jt(e)})(s):s;var{is:Ne,defineProperty:Ue,getOwnPropertyDescriptor:He,getOwnPropertyNames:Ie,getOwnPropertySymbols:Re,getPrototypeOf:qe}=Object,tt=globalThis,Bt=tt.trustedTypes,Le=Bt?Bt.emptyScript:"",je=tt.reactiveElementPolyfillSupport,V=(s,t)=>s,wt={toAttribute(s,t){switch(t){case Boolean:s=s?Le:null;break;case Object:case Array:s=s==null?s:JSON.stringify(s)}return s},fromAttribute(s,t){let e=s;switch(t){case Boolean:e=s!==null;break;case Number:e=s===null?null:Number(s);break;case Object:case Array:try{e=JSON.parse(s)}catch{e=null}}return e}},Vt=(s,t)=>!Ne(s,t),zt={attribute:!0,type:String,converter:wt,reflect:!1,useDefault:!1,hasChanged:Vt};Symbol.metadata??=Symbol("metadata"),tt.litPropertyMetadata??=new WeakMap;var M=class extends HTMLElement{static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(t,e=zt){if(e.state&&(e.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(t)&&((e=Object.create(e)).wrapped=!0),this.elementProperties.set(t,e),!e.noAccessor){let r=Symbol(),i=this.getPropertyDescriptor(t,r,e);i!==void 0&&Ue(this.prototype,t,i)}}static getPropertyDescriptor(t,e,r){let{get:i,set:o}=He(this.prototype,t)??{get(){return this[e]},set(n){this[e]=n}};return{get:i,set(n){let a=i?.call(this);o?.call(this,n),this.requestUpdate(t,a,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(t){return this.elementProperties.get(t)??zt}static _$Ei(){if(this.hasOwnProperty(V("elementProperties")))return;let t=qe(this);t.finalize(),t.l!==void 0&&(this.l=[...t.l]),this.elementProperties=new Map(t.elementProperties)}static finalize(){if(this.hasOwnProperty(V("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(V("properties"))){let e=this.properties,r=[...Ie(e),...Re(e)];for(let i of r)this.createProperty(i,e[i])}let t=this[Symbol.metadata];if(t!==null){let e=litPropertyMetadata.get(t);if(e!==void 0)for(let[r,i]of e)this.elementProperties.set(r,i)}this._$Eh=new Map;for(let[e,r]of this.elementProperties){let i=this._$Eu(e,r);i!==void 0&&this._$Eh.set(i,e)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(t){let e=[];if(Array.isArray(t)){let r=new Set(t.flat(1/0).reverse());for(let i of r)e.unshift(vt(i))}else t!==void 0&&e.push(vt(t));return e}static _$Eu(t,e){let r=e.attribute;return r===!1?void 0:typeof r=="string"?r:typeof t=="string"?t.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(t=>this.enableUpdating=t),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(t=>t(this))}addController(t){(this._$EO??=new Set).add(t),this.renderRoot!==void 0&&this.isConnected&&t.hostConnected?.()}removeController(t){this._$EO?.delete(t)}_$E_(){let t=new Map,e=this.constructor.elementProperties;for(let r of e.keys())this.hasOwnProperty(r)&&(t.set(r,this[r]),delete this[r]);t.size>0&&(this._$Ep=t)}createRenderRoot(){let t=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return Dt(t,this.constructor.elementStyles),t}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(t=>t.hostConnected?.())}enableUpdating(t){}disconnectedCallback(){this._$EO?.forEach(t=>t.hostDisconnected?.())}attributeChangedCallback(t,e,r){this._$AK(t,r)}_$ET(t,e){let r=this.constructor.elementProperties.get(t),i=this.constructor._$Eu(t,r);if(i!==void 0&&r.reflect===!0){let o=(r.converter?.toAttribute!==void 0?r.converter:wt).toAttribute(e,r.type);this._$Em=t,o==null?this.removeAttribute(i):this.setAttribute(i,o),this._$Em=null}}_$AK(t,e){let r=this.constructor,i=r._$Eh.get(t);if(i!==void 0&&this._$Em!==i){let o=r.getPropertyOptions(i),n=typeof o.converter=="function"?{fromAttribute:o.converter}:o.converter?.fromAttribute!==void 0?o.converter:wt;this._$Em=i;let a=n.fromAttribute(e,o.type);this[i]=a??this._$Ej?.get(i)??a,this._$Em=null}}requestUpdate(t,e,r,i=!1,o){if(t!==void 0){let n=this.constructor;if(i===!1&&(o=this[t]),r??=n.getPropertyOptions(t),!((r.hasChanged??Vt)(o,e)||r.useDefault&&r.reflect&&o===this._$Ej?.get(t)&&!this.hasAttribute(n._$Eu(t,r))))return;this.C(t,e,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(t,e,{useDefault:r,reflect:i,wrapped:o},n){r&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,n??e??this[t]),o!==!0||n!==void 0)||(this._$AL.has(t)||(this.hasUpdated||r||(e=void 0),this._$AL.set(t,e)),i===!0&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.reject(e)}let t=this.scheduleUpdate();return t!=null&&await t,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[i,o]of this._$Ep)this[i]=o;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[i,o]of r){let{wrapped:n}=o,a=this[i];n!==!0||this._$AL.has(i)||a===void 0||this.C(i,void 0,o,a)}}let t=!1,e=this._$AL;try{t=this.shouldUpdate(e),t?(this.willUpdate(e),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(e)):this._$EM()}catch(r){throw t=!1,this._$EM(),r}t&&this._$AE(e)}willUpdate(t){}_$AE(t){this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),this.updated(t)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(t){return!0}update(t){this._$Eq&&=this._$Eq.forEach(e=>this._$ET(e,this[e])),this._$EM()}updated(t){}firstUpdated(t){}};M.elementStyles=[],M.shadowRootOptions={mode:"open"},M[V("elementProperties")]=new Map,M[V("finalized")]=new Map,je?.({ReactiveElement:M}),(tt.reactiveElementVersions??=[]).push("2.1.2");var At=globalThis,Ft=s=>s,et=At.trustedTypes,Kt=et?et.createPolicy("lit-html",{createHTML:s=>s}):void 0,kt="$lit$",T=`lit$${Math.random().toFixed(9).slice(2)}$`,Et="?"+T,De=`<${Et}>`,I=document,K=()=>I.createComment(""),G=s=>s===null||typeof s!="object"&&typeof s!="function",St=Array.isArray,Zt=s=>St(s)||typeof s?.[Symbol.iterator]=="function",_t=`[ 	
\f\r]`,F=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Gt=/-->/g,Wt=/>/g,U=RegExp(`>|${_t}(?:([^\\s"'>=/]+)(${_t}*=${_t}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Yt=/'/g,Jt=/"/g,Xt=/^(?:script|style|textarea|title)$/i,Mt=s=>(t,...e)=>({_$litType$:s,strings:t,values:e}),p=Mt(1),u=Mt(2),Ms=Mt(3),y=Symbol.for("lit-noChange"),$=Symbol.for("lit-nothing"),Qt=new WeakMap,H=I.createTreeWalker(I,129);function te(s,t){if(!St(s)||!s.hasOwnProperty("raw"))throw Error("invalid template strings array");return Kt!==void 0?Kt.createHTML(t):t}var ee=(s,t)=>{let e=s.length-1,r=[],i,o=t===2?"<svg>":t===3?"<math>":"",n=F;for(let a=0;a<e;a++){let c=s[a],l,d,h=-1,m=0;for(;m<c.length&&(n.lastIndex=m,d=n.exec(c),d!==null);)m=n.lastIndex,n===F?d[1]==="!--"?n=Gt:d[1]!==void 0?n=Wt:d[2]!==void 0?(Xt.test(d[2])&&(i=RegExp("</"+d[2],"g")),n=U):d[3]!==void 0&&(n=U):n===U?d[0]===">"?(n=i??F,h=-1):d[1]===void 0?h=-2:(h=n.lastIndex-d[2].length,l=d[1],n=d[3]===void 0?U:d[3]==='"'?Jt:Yt):n===Jt||n===Yt?n=U:n===Gt||n===Wt?n=F:(n=U,i=void 0);let f=n===U&&s[a+1].startsWith("/>")?" ":"";o+=n===F?c+De:h>=0?(r.push(l),c.slice(0,h)+kt+c.slice(h)+T+f):c+T+(h===-2?a:f)}return[te(s,o+(s[e]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),r]},W=class s{constructor({strings:t,_$litType$:e},r){let i;this.parts=[];let o=0,n=0,a=t.length-1,c=this.parts,[l,d]=ee(t,e);if(this.el=s.createElement(l,r),H.currentNode=this.el.content,e===2||e===3){let h=this.el.content.firstChild;h.replaceWith(...h.childNodes)}for(;(i=H.nextNode())!==null&&c.length<a;){if(i.nodeType===1){if(i.hasAttributes())for(let h of i.getAttributeNames())if(h.endsWith(kt)){let m=d[n++],f=i.getAttribute(h).split(T),x=/([.?@])?(.*)/.exec(m);c.push({type:1,index:o,name:x[2],strings:f,ctor:x[1]==="."?rt:x[1]==="?"?it:x[1]==="@"?ot:q}),i.removeAttribute(h)}else h.startsWith(T)&&(c.push({type:6,index:o}),i.removeAttribute(h));if(Xt.test(i.tagName)){let h=i.textContent.split(T),m=h.length-1;if(m>0){i.textContent=et?et.emptyScript:"";for(let f=0;f<m;f++)i.append(h[f],K()),H.nextNode(),c.push({type:2,index:++o});i.append(h[m],K())}}}else if(i.nodeType===8)if(i.data===Et)c.push({type:2,index:o});else{let h=-1;for(;(h=i.data.indexOf(T,h+1))!==-1;)c.push({type:7,index:o}),h+=T.length-1}o++}}static createElement(t,e){let r=I.createElement("template");return r.innerHTML=t,r}};function R(s,t,e=s,r){if(t===y)return t;let i=r!==void 0?e._$Co?.[r]:e._$Cl,o=G(t)?void 0:t._$litDirective$;return i?.constructor!==o&&(i?._$AO?.(!1),o===void 0?i=void 0:(i=new o(s),i._$AT(s,e,r)),r!==void 0?(e._$Co??=[])[r]=i:e._$Cl=i),i!==void 0&&(t=R(s,i._$AS(s,t.values),i,r)),t}var st=class{constructor(t,e){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=e}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:e},parts:r}=this._$AD,i=(t?.creationScope??I).importNode(e,!0);H.currentNode=i;let o=H.nextNode(),n=0,a=0,c=r[0];for(;c!==void 0;){if(n===c.index){let l;c.type===2?l=new L(o,o.nextSibling,this,t):c.type===1?l=new c.ctor(o,c.name,c.strings,this,t):c.type===6&&(l=new nt(o,this,t)),this._$AV.push(l),c=r[++a]}n!==c?.index&&(o=H.nextNode(),n++)}return H.currentNode=I,i}p(t){let e=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(t,r,e),e+=r.strings.length-2):r._$AI(t[e])),e++}},L=class s{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,e,r,i){this.type=2,this._$AH=$,this._$AN=void 0,this._$AA=t,this._$AB=e,this._$AM=r,this.options=i,this._$Cv=i?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,e=this._$AM;return e!==void 0&&t?.nodeType===11&&(t=e.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,e=this){t=R(this,t,e),G(t)?t===$||t==null||t===""?(this._$AH!==$&&this._$AR(),this._$AH=$):t!==this._$AH&&t!==y&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):Zt(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==$&&G(this._$AH)?this._$AA.nextSibling.data=t:this.T(I.createTextNode(t)),this._$AH=t}$(t){let{values:e,_$litType$:r}=t,i=typeof r=="number"?this._$AC(t):(r.el===void 0&&(r.el=W.createElement(te(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===i)this._$AH.p(e);else{let o=new st(i,this),n=o.u(this.options);o.p(e),this.T(n),this._$AH=o}}_$AC(t){let e=Qt.get(t.strings);return e===void 0&&Qt.set(t.strings,e=new W(t)),e}k(t){St(this._$AH)||(this._$AH=[],this._$AR());let e=this._$AH,r,i=0;for(let o of t)i===e.length?e.push(r=new s(this.O(K()),this.O(K()),this,this.options)):r=e[i],r._$AI(o),i++;i<e.length&&(this._$AR(r&&r._$AB.nextSibling,i),e.length=i)}_$AR(t=this._$AA.nextSibling,e){for(this._$AP?.(!1,!0,e);t!==this._$AB;){let r=Ft(t).nextSibling;Ft(t).remove(),t=r}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},q=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,e,r,i,o){this.type=1,this._$AH=$,this._$AN=void 0,this.element=t,this.name=e,this._$AM=i,this.options=o,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=$}_$AI(t,e=this,r,i){let o=this.strings,n=!1;if(o===void 0)t=R(this,t,e,0),n=!G(t)||t!==this._$AH&&t!==y,n&&(this._$AH=t);else{let a=t,c,l;for(t=o[0],c=0;c<o.length-1;c++)l=R(this,a[r+c],e,c),l===y&&(l=this._$AH[c]),n||=!G(l)||l!==this._$AH[c],l===$?t=$:t!==$&&(t+=(l??"")+o[c+1]),this._$AH[c]=l}n&&!i&&this.j(t)}j(t){t===$?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},rt=class extends q{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===$?void 0:t}},it=class extends q{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==$)}},ot=class extends q{constructor(t,e,r,i,o){super(t,e,r,i,o),this.type=5}_$AI(t,e=this){if((t=R(this,t,e,0)??$)===y)return;let r=this._$AH,i=t===$&&r!==$||t.capture!==r.capture||t.once!==r.once||t.passive!==r.passive,o=t!==$&&(r===$||i);i&&this.element.removeEventListener(this.name,this,r),o&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},nt=class{constructor(t,e,r){this.element=t,this.type=6,this._$AN=void 0,this._$AM=e,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(t){R(this,t)}},se={M:kt,P:T,A:Et,C:1,L:ee,R:st,D:Zt,V:R,I:L,H:q,N:it,U:ot,B:rt,F:nt},Be=At.litHtmlPolyfillSupport;Be?.(W,L),(At.litHtmlVersions??=[]).push("3.3.3");var re=(s,t,e)=>{let r=e?.renderBefore??t,i=r._$litPart$;if(i===void 0){let o=e?.renderBefore??null;r._$litPart$=i=new L(t.insertBefore(K(),o),o,void 0,e??{})}return i._$AI(s),i};var Tt=globalThis,A=class extends M{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let t=super.createRenderRoot();return this.renderOptions.renderBefore??=t.firstChild,t}update(t){let e=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(t),this._$Do=re(e,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return y}};A._$litElement$=!0,A.finalized=!0,Tt.litElementHydrateSupport?.({LitElement:A});var ze=Tt.litElementPolyfillSupport;ze?.({LitElement:A});(Tt.litElementVersions??=[]).push("4.2.2");var _={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},C=s=>(...t)=>({_$litDirective$:s,values:t}),k=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,e,r){this._$Ct=t,this._$AM=e,this._$Ci=r}_$AS(t,e){return this.update(t,e)}update(t,e){return this.render(...e)}};var Y=class extends k{constructor(t){if(super(t),this.it=$,t.type!==_.CHILD)throw Error(this.constructor.directiveName+"() can only be used in child bindings")}render(t){if(t===$||t==null)return this._t=void 0,this.it=t;if(t===y)return t;if(typeof t!="string")throw Error(this.constructor.directiveName+"() called with a non-string value");if(t===this.it)return this._t;this.it=t;let e=[t];return e.raw=e,this._t={_$litType$:this.constructor.resultType,strings:e,values:[]}}};Y.directiveName="unsafeHTML",Y.resultType=1;var b=C(Y);var Ve=Math.sqrt(50),Fe=Math.sqrt(10),Ke=Math.sqrt(2);function Ct(s,t,e){let r=(t-s)/Math.max(0,e),i=Math.floor(Math.log10(r)),o=r/Math.pow(10,i),n=o>=Ve?10:o>=Fe?5:o>=Ke?2:1,a,c,l;return i<0?(l=Math.pow(10,-i)/n,a=Math.round(s*l),c=Math.round(t*l),a/l<s&&++a,c/l>t&&--c,l=-l):(l=Math.pow(10,i)*n,a=Math.round(s/l),c=Math.round(t/l),a*l<s&&++a,c*l>t&&--c),c<a&&.5<=e&&e<2?Ct(s,t,e*2):[a,c,l]}function J(s,t,e){if(t=+t,s=+s,e=+e,!(e>0))return[];if(s===t)return[s];let r=t<s,[i,o,n]=r?Ct(t,s,e):Ct(s,t,e);if(!(o>=i))return[];let a=o-i+1,c=new Array(a);if(r)if(n<0)for(let l=0;l<a;++l)c[l]=(o-l)/-n;else for(let l=0;l<a;++l)c[l]=(o-l)*n;else if(n<0)for(let l=0;l<a;++l)c[l]=(i+l)/-n;else for(let l=0;l<a;++l)c[l]=(i+l)*n;return c}var Ge=new Intl.NumberFormat("en",{maximumSignificantDigits:3}),E=s=>Math.abs(s)>=1e6||s&&Math.abs(s)<.001?s.toExponential(1):Ge.format(s);function S(s,t,e){let r=s.log?Math.log:n=>n,i=r(s.low),o=r(s.high)-i||1;return n=>t+(r(n)-i)/o*(e-t)}function ie(s,t=5){if(s.ticks)return s.ticks.filter(([o])=>o>=s.low&&o<=s.high);if(!s.log)return J(s.low,s.high,t).map(o=>[o,E(o)]);let e=Math.ceil(Math.log10(s.low)-1e-9),r=Math.floor(Math.log10(s.high)+1e-9);return J(e,r,t).filter(Number.isInteger).map(o=>[10**o,E(10**o)])}function P(s,t,{left:e,right:r,top:i,bottom:o}){return u`<g class="axis">
    ${ie(s,r-e<420?4:7).map(([n,a])=>u`<line class="grid" x1=${t(n)} x2=${t(n)} y1=${i} y2=${o}></line>
        <text x=${t(n)} y=${o+15} text-anchor="middle">${a}</text>`)}
    <text class="name" x=${(e+r)/2} y=${o+33} text-anchor="middle">${s.label}</text>
  </g>`}function at(s,t,{left:e,right:r,top:i}){return u`<g class="axis">
    ${ie(s).map(([o,n])=>u`<line class="grid" x1=${e} x2=${r} y1=${t(o)} y2=${t(o)}></line>
        <text x=${e-6} y=${t(o)+4} text-anchor="end">${n}</text>`)}
    <text class="name" x="2" y=${i-10}>${s.label}</text>
  </g>`}var oe=N`
  .drawing {
    --draw-blue: #1f6fae;
    --draw-orange: #b94f00;
    --draw-green: #00795a;
    --draw-purple: #8a4fa8;
    --draw-red: #c02b3b;
    --draw-grey: #686c71;
    margin: 0.5rem 0;
  }
  .drawing svg {
    display: block;
    max-width: 100%;
    overflow: visible;
    font: 12px var(--jp-ui-font-family, system-ui, sans-serif);
  }
  .drawing text {
    fill: var(--text);
  }
  .drawing .on {
    fill: #fff;
    pointer-events: none;
  }
  .drawing .grid {
    stroke: var(--edge);
  }
  .drawing .line {
    fill: none;
    stroke-width: 2.2;
    stroke-linejoin: round;
  }
  .drawing .dashed {
    stroke-dasharray: 6 4;
  }
  .drawing .mark {
    stroke: var(--text);
    stroke-dasharray: 2 3;
  }
  .drawing .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0.2rem 1rem;
    list-style: none;
    margin: 0 0 0.4rem;
    padding: 0;
    font-size: 0.85rem;
  }
  .drawing .legend svg {
    display: inline-block;
    vertical-align: middle;
    margin-right: 0.35rem;
  }
  .drawing details {
    font-size: 0.85rem;
  }
  .drawing summary {
    width: fit-content;
    cursor: pointer;
    color: var(--quiet);
  }
  .drawing .scroll {
    overflow: auto;
    max-height: 20rem;
  }
  .drawing table {
    border-collapse: collapse;
    margin: 0.3rem 0;
    font-variant-numeric: tabular-nums;
  }
  .drawing :is(th, td) {
    padding: 0.15rem 0.6rem;
    border: 1px solid var(--edge);
    text-align: left;
    font-weight: normal;
  }
  .drawing thead th {
    font-weight: 600;
  }
  .drawing .pickable {
    cursor: pointer;
  }
  .drawing [role="option"]:focus {
    outline: none;
  }
  .drawing [role="option"]:focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
`,g=s=>`var(--draw-${s??"blue"})`;var ne=22,Pt=6.6;function lt(s,t){let e=Math.max(...s.rows.map(m=>m.name.length))*Pt+10,r=e>t*.28,i=ne+(r?28:12),o=s.limit?22:6,n={left:r?2:e,right:t-12,top:o,bottom:o+s.rows.length*i},a=Math.max(...s.rows.map(m=>(m.text??"").length))*Pt+8,c=s.rows.map(ae),l=s.axis.high??Math.max(...c,s.limit?.at??0),d={...s.axis,low:0,high:l},h=S(d,n.left,n.right-a);return{height:n.bottom+42,picture:u`
      ${P(d,h,{...n,right:n.right-a})}
      ${s.rows.map((m,f)=>{let x=n.top+f*i+(r?20:6),w=h(Math.min(l,c[f]));return u`<g>
          ${r?u`<text x=${n.left} y=${x-5}>${m.name}</text>`:u`<text x=${n.left-8} y=${x+15} text-anchor="end">${m.name}</text>`}
          ${We(m,h,x,s.kinds,l)}
          <text x=${w+5} y=${x+15}>${m.text}</text>
        </g>`})}
      ${s.limit?Ye(s.limit,h(s.limit.at),n):""}`}}var ae=s=>s.parts.reduce((t,e)=>t+e.size,0);function We(s,t,e,r,i){let o=0;return s.parts.map(n=>{let[a,c]=[t(Math.min(i,o)),t(Math.min(i,o+n.size))];o+=n.size;let l=n.text??"";return u`<rect x=${a} y=${e} width=${Math.max(0,c-a-.5)} height=${ne} fill=${g(r[n.kind].colour)}></rect>
      ${l&&c-a>l.length*Pt+6?u`<text class="on" x=${(a+c)/2} y=${e+15} text-anchor="middle">${l}</text>`:""}`})}function Ye({text:s},t,e){let r=t>(e.left+e.right)/2?"end":"start";return u`<line class="mark" x1=${t} x2=${t} y1="16" y2=${e.bottom}></line>
    <text x=${t} y="12" text-anchor=${r}>${s}</text>`}lt.legend=s=>{let t=new Set(s.rows.flatMap(e=>e.parts.map(r=>r.kind)));return Object.entries(s.kinds).filter(([e])=>t.has(e)).map(([,{name:e,colour:r}])=>({name:e,colour:r,shape:"area"}))};lt.table=s=>{let t=Object.keys(s.kinds),e=(r,i)=>r.parts.filter(o=>o.kind===i).reduce((o,n)=>o+n.size,0);return{head:["bar",...t.map(r=>s.kinds[r].name),`all: ${s.axis.label}`],rows:s.rows.map(r=>[r.name,...t.map(i=>E(e(r,i))),E(ae(r))])}};var j=24,le=6.6;function ct(s,t,e){let r=s.marks??[],i=r.some(l=>l.text)?22:6,o=Math.max(...s.rows.map(l=>l.length))*le+10,n={left:o,right:t-18,top:i,bottom:i+s.rows.length*(j+6)},a=S(s.axis,n.left,n.right),c=s.now??Number.POSITIVE_INFINITY;return{height:n.bottom+42,picture:u`
      ${P(s.axis,a,n)}
      ${s.rows.map((l,d)=>u`<text x=${o-8} y=${i+d*(j+6)+20} text-anchor="end">${l}</text>`)}
      ${s.spans.map((l,d)=>l.from<c?Je(l,d,s,a,i,c,e):"")}
      ${r.map(l=>Qe(l,a(l.x),n))}
      ${Number.isFinite(c)?u`<line class="now" x1=${a(c)} x2=${a(c)} y1=${i} y2=${n.bottom} stroke="var(--text)"></line>`:""}`}}function Je(s,t,e,r,i,o,n){let[a,c]=[r(s.from),r(Math.min(o,s.to))],l=i+3+s.row*(j+6)+(s.low?j*.3:0),d=s.low?j*.7:j,h=e.kinds[s.kind],m=s.text??"",f=c-a>m.length*le+2;return u`<g class=${n?"pickable":""} @click=${n?()=>n(t):null}>
    <rect x=${a} y=${l} width=${Math.max(.5,c-a-1)} height=${d} rx="2" fill=${g(h.colour)}
      stroke=${e.picked===t?"var(--text)":"none"} stroke-width="2"><title>${ce(s,e)}</title></rect>
    ${m&&f?u`<text class="on" x=${(a+c)/2} y=${l+d/2+4} text-anchor="middle">${m}</text>`:""}
  </g>`}function Qe(s,t,e){let r=t>(e.left+e.right)/2?"end":"start";return u`<line class="mark" x1=${t} x2=${t} y1=${e.top-4} y2=${e.bottom}></line>
    <text x=${t} y=${e.top-8} text-anchor=${r}>${s.text}</text>`}function ce(s,t){return`${[t.kinds[s.kind].name,s.text].filter(Boolean).join(" ")}: ${E(s.from)} to ${E(s.to)}`}ct.legend=s=>{let t=new Set(s.spans.map(e=>e.kind));return Object.entries(s.kinds).filter(([e])=>t.has(e)).map(([,{name:e,colour:r}])=>({name:e,colour:r,shape:"area"}))};ct.table=s=>({head:["row",`in the order of time, ${s.axis.label}`],rows:s.rows.map((t,e)=>[t,s.spans.filter(r=>r.row===e).sort((r,i)=>r.from-i.from).map(r=>ce(r,s)).join("; ")])});var he=300;function ht(s,t){let e={left:58,right:t-18,top:26,bottom:he-44},r=S(s.x,e.left,e.right),i=S(s.y,e.bottom,e.top),o=n=>Math.min(e.bottom,Math.max(e.top,n));return{height:he,picture:u`
      ${P(s.x,r,e)} ${at(s.y,i,e)}
      ${(s.areas??[]).map(n=>u`<path d=${ts(n.points,r,a=>o(i(a)))} fill=${g(n.colour)} fill-opacity="0.22"></path>`)}
      ${s.lines.map(n=>Ze(n,s.now)).map(n=>n.dots?es(n,r,i):u`<path class="line ${n.dashed?"dashed":""}" d=${Xe(n,r,a=>o(i(a)))} stroke=${g(n.colour)}></path>`)}
      ${(s.marks??[]).map(n=>ss(n,r,i,e))}`}}function Ze(s,t=Number.POSITIVE_INFINITY){let e=s.points.filter(([i])=>i<=t),r=s.steps&&e.length&&e.length<s.points.length;return{...s,points:r?[...e,[t,e[e.length-1][1]]]:e}}function Xe(s,t,e){let r=null;return s.points.map(([o,n])=>{let a=`${t(o).toFixed(1)},${e(n).toFixed(1)}`,c=r===null?`M${a}`:s.steps?`H${t(o).toFixed(1)}V${e(n).toFixed(1)}`:`L${a}`;return r=n,c}).join("")}function ts(s,t,e){let r=s.map(([o,,n])=>`${t(o).toFixed(1)},${e(n).toFixed(1)}`),i=s.map(([o,n])=>`${t(o).toFixed(1)},${e(n).toFixed(1)}`).reverse();return`M${[...r,...i].join("L")}Z`}function es(s,t,e){let r=([i,o])=>`M${t(i)-4},${e(o)-4}l8,8m0,-8l-8,8`;return u`<path class="line" d=${s.points.map(r).join("")} stroke=${g(s.colour)}></path>`}function ss(s,t,e,r){let i=s.x===void 0?r.right:t(s.x),o=s.y===void 0?r.top:e(s.y),n=i>(r.left+r.right)/2?"end":"start",c=u`<text x=${i+(n==="end"?-6:6)} y=${s.y===void 0?o+11:o-7} text-anchor=${n}>${s.text}</text>`;return s.x!==void 0&&s.y!==void 0?u`<circle cx=${i} cy=${o} r="5" fill=${g(s.colour)}></circle>${c}`:s.x===void 0?u`<line class="mark" x1=${r.left} x2=${r.right} y1=${o} y2=${o}></line>${c}`:u`<line class="mark" x1=${i} x2=${i} y1=${r.top} y2=${r.bottom}></line>${c}`}ht.legend=s=>[...s.lines.map(({name:t,colour:e,dashed:r,dots:i})=>({name:t,colour:e,shape:i?"cross":r?"dashed":"line"})),...(s.areas??[]).map(({name:t,colour:e})=>({name:t,colour:e,shape:"shade"}))];ht.table=s=>({head:["curve",`from ${s.x.label}`,`${s.y.label} there`,"to","there","least","most"],rows:s.lines.filter(t=>t.points.length).map(({name:t,points:e})=>{let r=e.map(([,n])=>n),[i,o]=[e[0],e[e.length-1]];return[t,...[i[0],i[1],o[0],o[1],Math.min(...r),Math.max(...r)].map(E)]})});var de="abcdefghijklmnop";function dt(s,t){let e=s.held.length,r=Math.min(t,520),i=Math.min(22,(r/2-55)/e),[o,n]=[i*e,i+18],[a,c]=[(r-o)/2-4,e>6?190:150],[l,d]=[t/2,c+n/2+8],h=m=>{let f=2*Math.PI*m/e-Math.PI/2;return[l+a*Math.cos(f),d+c*Math.sin(f)]};return{height:2*c+n+20,picture:u`
      <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0,0L8,4L0,8Z" fill="var(--text)"></path></marker></defs>
      ${s.sends.map((m,f)=>is(m,f,e,{middle:l,centre:d,across:a,down:c}))}
      ${s.held.map((m,f)=>rs(m,f,h(f),i,o,e,s.sends[(f+e-1)%e]?.chunk))}
      <text x=${l} y=${d+4} text-anchor="middle" class="name">${s.text}</text>`}}function rs(s,t,[e,r],i,o,n,a){let c=e-o/2;return u`<g>
    <rect x=${c-3} y=${r-i/2-17} width=${o+6} height=${i+21} rx="4" fill="var(--back)" stroke="var(--edge)"></rect>
    <text x=${e} y=${r-i/2-4} text-anchor="middle">GPU ${t}</text>
    ${s.map((l,d)=>{let h=l===n;return u`<rect x=${c+d*i+.5} y=${r-i/2} width=${i-1} height=${i-1}
          fill=${g("blue")} fill-opacity=${h?1:.32*l/n} stroke=${d===a?g("orange"):g("blue")}
          stroke-width=${d===a?2.5:.6}></rect>
        <text class=${h?"on":""} x=${c+(d+.5)*i} y=${r+4} text-anchor="middle" font-size=${i<14?9:12}>${l}</text>`})}
  </g>`}function is(s,t,e,{middle:r,centre:i,across:o,down:n}){let a=h=>{let m=2*Math.PI*(t+h)/e-Math.PI/2;return[r+o*Math.cos(m),i+n*Math.sin(m)]},[c,l,d]=[a(.3),a(.5),a(.7)];return u`<path d=${`M${c}Q${l} ${d}`} class=${s.adds?"":"dashed"} fill="none" stroke="var(--text)" stroke-width="1.5" marker-end="url(#tip)"></path>
    <circle cx=${l[0]} cy=${l[1]} r="9" fill=${g("orange")}></circle>
    <text class="on" x=${l[0]} y=${l[1]+4} text-anchor="middle">${de[s.chunk]}</text>`}dt.legend=()=>[{name:"contributions summed so far",colour:"blue",shape:"area"},{name:"chunk on its way",colour:"orange",shape:"dot"}];dt.table=s=>({head:["GPU",...s.held.map((t,e)=>`chunk ${de[e]}`)],rows:s.held.map((t,e)=>[`GPU ${e}`,...t.map(String)])});var pe=320;function pt(s,t,e){let r={left:58,right:t-14,top:26,bottom:pe-44},i=S(s.x,r.left,r.right),o=S(s.y,r.bottom,r.top),n=s.points.map((l,d)=>d).sort((l,d)=>s.points[l].x-s.points[d].x),a=s.picked??n[0],c=l=>{let d={ArrowRight:1,ArrowDown:1,ArrowLeft:-1,ArrowUp:-1}[l.key],h=l.key==="Home"?0:l.key==="End"?n.length-1:d&&n.indexOf(a)+d;h===void 0||n[h]===void 0||l.ctrlKey||l.altKey||l.metaKey||(l.preventDefault(),l.currentTarget.querySelector(`[data-place="${n[h]}"]`).focus(),e(n[h]))};return{height:pe,interactive:!!e,picture:u`
      ${P(s.x,i,r)} ${at(s.y,o,r)}
      ${(s.marks??[]).map(l=>os(l,i,o,r))}
      ${s.front?u`<path class="line" stroke=${g("grey")} d=${`M${s.front.map(([l,d])=>`${i(l)},${o(d)}`).join("L")}`}></path>`:""}
      <g role=${e?"listbox":"none"} aria-label=${s.title} @keydown=${e?c:null}>
        ${s.points.map((l,d)=>u`<circle cx=${i(l.x)} cy=${o(l.y)} r=${d===s.picked?7:5} data-place=${d}
            class=${e?"pickable":""} fill=${g(l.colour)} stroke="var(--text)" stroke-width=${d===s.picked?2.5:0}
            role=${e?"option":"none"} aria-selected=${d===s.picked} aria-label=${l.text} tabindex=${e&&d===a?0:-1}
            @click=${e?()=>e(d):null}><title>${l.text}</title></circle>`)}
      </g>`}}function os(s,t,e,r){if(s.x!==void 0){let o=t(s.x);return u`<line class="mark" x1=${o} x2=${o} y1=${r.top} y2=${r.bottom}></line>
      <text x=${o-5} y=${r.top+11} text-anchor="end">${s.text}</text>`}let i=e(s.y);return u`<line class="mark" x1=${r.left} x2=${r.right} y1=${i} y2=${i}></line>
    <text x=${r.right} y=${i-5} text-anchor="end">${s.text}</text>`}pt.legend=s=>{let e=[...new Map(s.points.filter(r=>r.name).map(r=>[r.name,r.colour]))].map(([r,i])=>({name:r,colour:i,shape:"dot"}));return s.frontName?[...e,{name:s.frontName,colour:"grey",shape:"line"}]:e};pt.table=s=>({head:["point",s.x.label,s.y.label],rows:s.points.map(t=>[t.text,t.x,t.y].map(String))});var ns={bars:lt,gantt:ct,lines:ht,ring:dt,scatter:pt};function me(s,t,e,r){let i=ns[s],{height:o,picture:n,interactive:a}=i(t,e,r),{head:c,rows:l}=i.table(t);return p`<div class="drawing">
    <ul class="legend">
      ${i.legend(t).map(({name:d,colour:h,shape:m})=>p`<li>${as(m,h)}${d}</li>`)}
    </ul>
    <svg
      role=${a?"group":"img"}
      aria-label=${t.title}
      width=${e}
      height=${o}
      viewBox="0 0 ${e} ${o}"
    >
      ${n}
    </svg>
    <details>
      <summary>The same as a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Table of ${t.title}">
        <table>
          <thead>
            <tr>
              ${c.map(d=>p`<th scope="col">${d}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${l.map(([d,...h])=>p`<tr>
                  <th scope="row">${d}</th>
                  ${h.map(m=>p`<td>${m}</td>`)}
                </tr>`)}
          </tbody>
        </table>
      </div>
    </details>
  </div>`}function as(s,t){let e={line:u`<path d="M0,6H20" stroke=${g(t)} stroke-width="2.5"></path>`,dashed:u`<path d="M0,6H20" stroke=${g(t)} stroke-width="2.5" stroke-dasharray="6 4"></path>`,cross:u`<path d="M6,2l8,8m0,-8l-8,8" stroke=${g(t)} stroke-width="2.5"></path>`,area:u`<rect width="14" height="12" x="3" rx="2" fill=${g(t)}></rect>`,shade:u`<rect width="14" height="12" x="3" rx="2" fill=${g(t)} fill-opacity="0.3"></rect>`,dot:u`<circle cx="10" cy="6" r="5" fill=${g(t)}></circle>`};return u`<svg width="20" height="12" aria-hidden="true">${e[s]}</svg>`}var mt=class{value=640;#r;#e=new ResizeObserver(([t])=>{let e=Math.max(280,Math.round(t.contentRect.width));e!==this.value&&(this.value=e,this.#r.requestUpdate())});constructor(t){this.#r=t,t.addController(this)}hostConnected(){this.#e.observe(this.#r)}hostDisconnected(){this.#e.disconnect()}};var ut=N`
  :host {
    --text: var(--jp-content-font-color1, light-dark(#1f2328, #e6e6e6));
    --back: var(--jp-layout-color1, light-dark(#fff, #111));
    --field-back: var(--jp-layout-color0, light-dark(#fff, #1a1a1a));
    --quiet: color-mix(in srgb, var(--text) 74%, transparent);
    --edge: color-mix(in srgb, var(--text) 22%, transparent);
    --field-edge: color-mix(in srgb, var(--text) 58%, transparent);
    --tint: color-mix(in srgb, var(--text) 6%, transparent);
    --mono: var(--jp-code-font-family, ui-monospace, "DejaVu Sans Mono", monospace);
    --accent: light-dark(#0b5cad, #79b8ff);
    --on-accent: light-dark(#fff, #0a1929);
    --correct: light-dark(#1a7f37, #56d364);
    --partial: light-dark(#8a5a00, #e3b341);
    --incorrect: light-dark(#b42318, #ff9a90);
    --unreadable: light-dark(#6941c6, #c8a8ff);
    --blank: light-dark(#57606a, #b8c0c8);

    display: block;
    box-sizing: border-box;
    max-width: 50rem;
    margin: 0.25rem 2px 0.5rem;
    padding: 1rem 1.25rem 1.1rem;
    border: 1px solid var(--edge);
    border-radius: 8px;
    background: var(--back);
    color: var(--text);
    font: 14px/1.55 var(--jp-content-font-family, system-ui, sans-serif);
  }

  *, *::before { box-sizing: border-box; }

  header {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    justify-content: space-between;
    gap: 0.25rem 1rem;
    margin-bottom: 0.5rem;
  }

  h3 { margin: 0; font-size: 1.15em; font-weight: 600; line-height: 1.35; }
  p { margin: 0 0 0.6em; }
  p:last-child { margin-bottom: 0; }
  ul, ol { margin: 0.3em 0 0.6em; padding-left: 1.4em; }
  form { margin: 0.9rem 0 0; }
  fieldset { min-width: 0; margin: 0; padding: 0; border: 0; }

  .quiet, .letter { color: var(--quiet); }
  .quiet { font-size: 0.93em; }
  .prose { overflow-x: auto; }

  code, pre, .listing { color: inherit; font-family: var(--mono); font-size: 13px; }
  pre { margin: 0.5em 0; padding: 0.5em 0.75em; overflow-x: auto; border-left: 2px solid var(--edge); }
  table { margin: 0.5em 0; border-collapse: collapse; }
  th, td { padding: 0.25em 0.75em; border: 1px solid var(--edge); text-align: left; }
  math[display="block"] { margin: 0.6em 0; }

  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  h3:focus { outline: none; }

  /* Fields */

  .fields > * + * { margin-top: 1rem; }
  .field > * { display: block; }
  .label { margin: 0 0 0.35rem; padding: 0; font-weight: 600; }
  .part { padding-top: 0.8rem; border-top: 1px solid var(--edge); }
  .arguments { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: 0.6rem 1rem; }

  input[type="text"], select, textarea {
    width: 100%;
    margin: 0;
    padding: 0.3rem 0.6rem;
    border: 1px solid var(--field-edge);
    border-radius: 5px;
    background: var(--field-back);
    color: inherit;
    font: inherit;
  }

  input[type="text"], select { height: 2.15rem; }
  input.quantity { max-width: 18rem; }
  select { width: auto; max-width: 100%; }
  textarea { display: block; resize: vertical; }
  input[type="text"].code, textarea.code { font-family: var(--mono); font-size: 13px; }
  input + .quiet { margin-top: 0.3rem; }

  .option {
    display: grid;
    grid-template-columns: auto auto 1fr;
    align-items: baseline;
    gap: 0.55rem;
    padding: 0.3rem 0.5rem;
    border-radius: 5px;
    cursor: pointer;
  }

  .option:hover, .line:hover { background: var(--tint); }
  .option:has(:checked) { background: color-mix(in srgb, var(--accent) 13%, transparent); }
  .option input { margin: 0; accent-color: var(--accent); transform: translateY(1px); }

  .listing {
    padding: 0.35rem 0;
    overflow-x: auto;
    border: 1px solid var(--field-edge);
    border-radius: 5px;
    background: var(--field-back);
    line-height: 1.75;
  }

  .line {
    display: flex;
    align-items: baseline;
    width: max-content;
    min-width: 100%;
    padding-right: 0.75rem;
    border-left: 4px solid transparent;
    cursor: pointer;
  }

  .line[aria-selected="true"] {
    border-left-color: var(--accent);
    background: color-mix(in srgb, var(--accent) 16%, transparent);
  }

  .line code { white-space: pre; }
  .line .number { flex: none; width: 2.4em; padding-right: 0.9em; color: var(--quiet); text-align: right; user-select: none; }

  .order, .known { padding: 0; list-style: none; }
  .order li, .pair { display: flex; align-items: center; gap: 0.5rem; padding: 0.2rem 0; }
  .known li { display: flex; gap: 0.5rem; }
  .item { flex: 1; }

  /* Buttons, and what is said */

  .buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 1rem; }

  button {
    min-height: 2.15rem;
    padding: 0 0.95rem;
    border: 1px solid var(--field-edge);
    border-radius: 5px;
    background: transparent;
    color: inherit;
    font: inherit;
    cursor: pointer;
  }

  button:hover { background: color-mix(in srgb, var(--text) 8%, transparent); }
  button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
  button.primary:hover { filter: brightness(1.08); }
  button[aria-disabled="true"] { border-style: dashed; color: var(--quiet); cursor: default; }

  .said > :not(:empty), .more {
    margin-top: 0.9rem;
    padding: 0.15rem 0 0.15rem 0.9rem;
    border-left: 4px solid var(--edge);
  }

  .said { --outcome: var(--blank); }
  .said > :not(:empty) { border-left-color: var(--outcome); }
  .said p:first-child > strong:first-child { color: var(--outcome); }
  .said[data-outcome="correct"] { --outcome: var(--correct); }
  .said[data-outcome="partial"], .said[data-outcome="broken"] { --outcome: var(--partial); }
  .said[data-outcome="incorrect"] { --outcome: var(--incorrect); }
  .said[data-outcome="unreadable"] { --outcome: var(--unreadable); }

  @media (forced-colors: active) {
    .line[aria-selected="true"] { outline: 2px solid Highlight; outline-offset: -2px; }
  }
`;var ls=6e3,cs=700,ue=()=>matchMedia("(prefers-reduced-motion: reduce)").matches,ft=class extends A{static styles=[ut,oe,N`
      .controls {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr));
        gap: 0.6rem 1.5rem;
        align-items: end;
        margin: 0.8rem 0;
      }
      .control label, .control .name { display: flex; justify-content: space-between; gap: 1rem; }
      .control output { font-weight: 600; }
      .control.wide { grid-column: 1 / -1; }
      input[type="range"] { width: 100%; margin: 0.3rem 0 0; accent-color: var(--accent); }
      .choices { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; padding: 0; }
      .choices label { display: inline-flex; align-items: center; gap: 0.35rem; cursor: pointer; }
      .choices input { margin: 0; accent-color: var(--accent); }
      legend { padding: 0; }
      .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); gap: 0.5rem 1.5rem; margin: 0.8rem 0 0; }
      .facts dt { color: var(--quiet); font-size: 0.93em; }
      .facts dd { margin: 0; font-weight: 600; }
      .guess { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
      .guess input { width: 9rem; margin-top: 0.3rem; }
      .heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
      .play { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
      .play input { flex: 1 1 10rem; width: auto; margin: 0; }
      .play button { min-width: 4.4rem; }
    `];static properties={host:{attribute:!1},given:{attribute:!1},settings:{state:!0},shown:{state:!0},frame:{state:!0},playing:{state:!0},guessed:{state:!0},judged:{state:!0},trouble:{state:!0},heard:{state:!0}};#r=new mt(this);#e=new Map;#o=!1;#n;#t;willUpdate(t){if(!t.has("given"))return;let e=this.host.draft.get(this.#s)??{};this.settings={...this.given.start,...e.settings},this.guessed=e.guessed??!1,this.judged="",this.trouble="",this.#l()}disconnectedCallback(){super.disconnectedCallback(),this.#f(),clearTimeout(this.#t)}get#s(){return`figure ${this.given.name}`}#p(){this.host.draft.set(this.#s,{settings:this.settings,guessed:this.guessed})}async#l(){if(this.#o)return;this.#o=!0;let t;do if(t=JSON.stringify(this.settings),!this.#e.has(t)){let e={do:"figure",name:this.given.name,settings:this.settings},r=await this.host.ask(e).catch(i=>({error:i.message}));r.error?this.trouble=r.error:this.#e.set(t,r.shown)}while(t!==JSON.stringify(this.settings));this.#o=!1,this.#e.has(t)&&this.#u(this.#e.get(t))}#u(t){let e=(t.frames?.length??1)-1,r=this.shown?.frames?.length;r===void 0?this.frame=t.starts_at??e:this.frame=this.frame===r-1?e:Math.min(this.frame,e),this.trouble="",this.shown=t,this.#c()}#c(){clearTimeout(this.#t),this.#t=setTimeout(()=>{this.playing||(this.heard=this.#h.map(([t,e])=>`${t}: ${e}`).join("; "))},cs)}get#h(){return this.shown?.frames?.[this.frame]?.facts??this.shown?.facts??[]}#d(t,e){this.settings={...this.settings,[t]:e},this.#p(),this.#l()}get#i(){if(this.shown?.frames)return{place:this.frame,count:this.shown.frames.length,go:i=>{this.frame=i,this.#c()}};let t=this.given.controls.find(({name:i})=>i===this.given.plays),{name:e,options:r}=t;return{place:r.indexOf(this.settings[e]),count:r.length,go:i=>this.#d(e,r[i])}}#a(t){let{place:e,count:r,go:i}=this.#i;i(Math.min(r-1,Math.max(0,e+t)))}#m=()=>{if(this.playing)return this.#f();let{place:t,count:e,go:r}=this.#i;if(ue())return this.#a(t===e-1?-t:1);t===e-1&&r(0),this.playing=!0;let i=Math.min(900,Math.max(150,ls/e));this.#n=setInterval(()=>{this.#a(1),this.#i.place===this.#i.count-1&&this.#f()},i)};#f(){clearInterval(this.#n),this.playing=!1,this.shown&&this.#c()}#g(t){let e=t.target.closest("button, summary, a, input:not([type='range'])");t.key!==" "||e||!this.guessed||!this.shown||(t.preventDefault(),this.#m())}async#x(t){t.preventDefault();let e=new FormData(t.currentTarget).get("guess")??"",r={do:"figure",name:this.given.name,guess:e},i=await this.host.ask(r).catch(o=>({error:o.message}));i.error?this.trouble=i.error:this.#$(i.judged)}#$(t){this.judged=t,this.guessed=t===""||t.right!==null,this.#p()}render(){return p`<section aria-labelledby="title" @keydown=${this.#g}>
      <header><h3 id="title">${this.given.title}</h3></header>
      ${this.guessed?$:this.#b()}
      <div role="status" class="prose said" data-outcome=${this.judged?this.judged.right?"correct":"incorrect":""}>
        ${this.judged?p`<p>${this.judged.say}</p>`:$}
      </div>
      ${this.guessed?this.#y():$}
      <div role="alert">${this.trouble?b(this.trouble):$}</div>
    </section>`}#b(){let{ask:t,choices:e,unit:r}=this.given.predict;return p`<form novalidate @submit=${this.#x}>
      <p class="quiet">Guess first; then comes the picture.</p>
      ${e?p`<fieldset>
              <legend>${t}</legend>
              ${e.map(i=>p`<label class="option"><input type="radio" name="guess" value=${i} /><span></span><span>${i}</span></label>`)}
            </fieldset>`:p`<label for="guess">${t}</label>
              <div class="guess">
                <input type="text" id="guess" name="guess" inputmode="decimal" autocomplete="off" /><span>${r}</span>
              </div>`}
      <div class="buttons">
        <button class="primary">Check my guess</button>
        <button type="button" @click=${()=>this.#$("")}>Show the picture</button>
      </div>
    </form>`}#y(){let{shown:t}=this;if(!t)return p`<p class="quiet">Python is computing the picture.</p>`;let e=t.frames?.[this.frame]?.panels??[];return p`
      <div class="controls">${this.given.controls.map(r=>this.#v(r))}</div>
      ${this.#w()}
      ${t.panels.map((r,i)=>me(r.drawing,{...r,...e[i]},this.#r.value))}
      <dl class="facts">${this.#h.map(([r,i])=>p`<div><dt>${r}</dt><dd>${i}</dd></div>`)}</dl>
      <p class="heard" role="status">${this.heard}</p>
    `}#v({name:t,label:e,options:r,as:i}){let o=this.settings[t];return i==="choice"?p`<fieldset class="control wide">
        <legend class="quiet">${e}</legend>
        <div class="choices">
          ${r.map(n=>p`<label>
              <input type="radio" name=${t} .checked=${n===o} @change=${()=>this.#d(t,n)} />${n}
            </label>`)}
        </div>
      </fieldset>`:p`<div class="control">
      <label for=${t}><span class="quiet">${e}</span><output>${o}</output></label>
      <input
        type="range"
        id=${t}
        max=${r.length-1}
        aria-valuetext=${o}
        .value=${String(r.indexOf(o))}
        @input=${n=>this.#d(t,r[Number(n.target.value)])}
      />
    </div>`}#w(){let{place:t,count:e,go:r}=this.#i,i=(o,n,a)=>p`<button type="button" aria-disabled=${a?"true":"false"} @click=${()=>a||n()}>${o}</button>`;return p`<div class="play" role="group" aria-label="Step by step">
      ${i("Back",()=>this.#a(-1),t===0)}
      ${ue()?$:i(this.playing?"Pause":"Play",this.#m,!1)}
      ${i("Step",()=>this.#a(1),t===e-1)}
      ${this.shown.frames?p`<input type="range" aria-label="moment" aria-valuetext="${t+1} of ${e}" max=${e-1} .value=${String(t)}
              @input=${o=>r(Number(o.target.value))} />`:$}
    </div>`}};var{I:hs}=se,fe=s=>s;var ge=s=>s.strings===void 0,$e=()=>document.createComment(""),D=(s,t,e)=>{let r=s._$AA.parentNode,i=t===void 0?s._$AB:t._$AA;if(e===void 0){let o=r.insertBefore($e(),i),n=r.insertBefore($e(),i);e=new hs(o,n,s,s.options)}else{let o=e._$AB.nextSibling,n=e._$AM,a=n!==s;if(a){let c;e._$AQ?.(s),e._$AM=s,e._$AP!==void 0&&(c=s._$AU)!==n._$AU&&e._$AP(c)}if(o!==i||a){let c=e._$AA;for(;c!==o;){let l=fe(c).nextSibling;fe(r).insertBefore(c,i),c=l}}}return e},O=(s,t,e=s)=>(s._$AI(t,e),s),ds={},B=(s,t=ds)=>s._$AH=t,xe=s=>s._$AH,$t=s=>{s._$AR(),s._$AA.remove()};var Ot=C(class extends k{constructor(){super(...arguments),this.key=$}render(s,t){return this.key=s,t}update(s,[t,e]){return t!==this.key&&(B(s),this.key=t),e}});var be={template(s){let{field:t,id:e}=s;if(!t.how)return p`<fieldset>
        <legend class="label">${t.label}</legend>
        <div class="arguments">${Q(t.fields,s)}</div>
      </fieldset>`;let r=`${e}-how`;return p`<fieldset class="part">
      <legend class="label">${t.label}</legend>
      ${t.html?p`<div class="prose">${b(t.html)}</div>`:$}
      <p id=${r} class="quiet">${t.how}</p>
      ${Q(t.fields,{...s,how:r})}
    </fieldset>`},answer:(s,t)=>gt(s.fields,t)};var v=C(class extends k{constructor(s){if(super(s),s.type!==_.PROPERTY&&s.type!==_.ATTRIBUTE&&s.type!==_.BOOLEAN_ATTRIBUTE)throw Error("The `live` directive is not allowed on child or event bindings");if(!ge(s))throw Error("`live` bindings can only contain a single expression")}render(s){return s}update(s,[t]){if(t===y||t===$)return t;let e=s.element,r=s.name;if(s.type===_.PROPERTY){if(t===e[r])return y}else if(s.type===_.BOOLEAN_ATTRIBUTE){if(!!t===e.hasAttribute(r))return y}else if(s.type===_.ATTRIBUTE&&e.getAttribute(r)===t+"")return y;return B(s),t}});function ye(s,t){let e=t.draft?.[s.mends]??0,r=t.fields.find(i=>i.name===s.mends);return{number:e,text:e?r.lines[e-1].trim():""}}var ve={template({field:s,id:t,how:e,draft:r,set:i,beside:o}){let n=s.mends&&ye(s,o),a=n?r?.[n.number]??n.text:r??"",c=d=>i(n?{...r,[n.number]:d}:d),l=s.note&&p`<p id="${t}-note" class="quiet">${s.note}</p>`;return p`<div class="field">
      <label class="label" for=${t}>${s.label}</label>
      <input
        type="text" id=${t} class=${s.is_code?"code":"quantity"}
        autocomplete="off" autocapitalize="off" spellcheck="false"
        aria-describedby=${l?`${t}-note`:e}
        .value=${v(a)} @input=${d=>c(d.target.value)} />
      ${l||$}
    </div>`},answer(s,t,e){if(!s.mends)return t??"";let{number:r,text:i}=ye(s,e),o=t?.[r]??i;return o.trim()===i?"":o}};var we={template({field:s,id:t,draft:e,set:r}){let i=s.lines.length,o=n=>{let a={ArrowDown:Math.min(i,(e??0)+1),ArrowUp:Math.max(1,(e??i+1)-1),Home:1,End:i}[n.key];a===void 0||n.ctrlKey||n.altKey||n.metaKey||(n.preventDefault(),r(a))};return p`<div class="field">
      <div id="${t}-label" class="label">${s.label}</div>
      <div
        role="listbox" tabindex="0" class="listing" aria-labelledby="${t}-label"
        aria-activedescendant=${e?`${t}-line-${e}`:$} @keydown=${o}>
        ${s.lines.map((n,a)=>p`<div
            role="option" id="${t}-line-${a+1}" class="line"
            aria-selected=${a+1===e?"true":"false"} @click=${()=>r(a+1)}>
            <span class="number">${a+1}</span><code>${n}</code>
          </div>`)}
      </div>
    </div>`},answer:(s,t)=>t??null};var _e={template:({field:s,id:t,draft:e,set:r})=>p`<div class="field">
    <label for=${t}><code>${s.label}</code></label>
    <input
      type="text" id=${t} inputmode=${s.is_whole?"numeric":"decimal"}
      autocomplete="off" spellcheck="false" aria-describedby="${t}-range"
      .value=${v(e??"")} @input=${i=>r(i.target.value)} />
    <span id="${t}-range" class="quiet">${s.range}</span>
  </div>`,answer(s,t){let e=(t??"").trim();return e===""?null:Number.isFinite(Number(e))?Number(e):e}};var Ae={template({field:s,id:t,how:e,draft:r,set:i}){let o=s.pick==="one",n=r??[],a=(c,l)=>{let d=o?[]:n.filter(h=>h!==c);return s.options.map(h=>h.label).filter(h=>d.includes(h)||l&&h===c)};return p`<fieldset aria-labelledby=${e}>
      ${s.options.map(c=>p`<label class="option">
          <input
            type=${o?"radio":"checkbox"} name=${t} value=${c.label}
            .checked=${v(n.includes(c.label))}
            @change=${l=>i(a(c.label,l.target.checked))} />
          <span class="letter">${c.label})</span>
          <span>${b(c.html)}</span>
        </label>`)}
    </fieldset>`},answer:(s,t)=>t??[]};var ke=(s,t,e)=>{let r=new Map;for(let i=t;i<=e;i++)r.set(s[i],i);return r},Ee=C(class extends k{constructor(s){if(super(s),s.type!==_.CHILD)throw Error("repeat() can only be used in text expressions")}dt(s,t,e){let r;e===void 0?e=t:t!==void 0&&(r=t);let i=[],o=[],n=0;for(let a of s)i[n]=r?r(a,n):n,o[n]=e(a,n),n++;return{values:o,keys:i}}render(s,t,e){return this.dt(s,t,e).values}update(s,[t,e,r]){let i=xe(s),{values:o,keys:n}=this.dt(t,e,r);if(!Array.isArray(i))return this.ut=n,o;let a=this.ut??=[],c=[],l,d,h=0,m=i.length-1,f=0,x=o.length-1;for(;h<=m&&f<=x;)if(i[h]===null)h++;else if(i[m]===null)m--;else if(a[h]===n[f])c[f]=O(i[h],o[f]),h++,f++;else if(a[m]===n[x])c[x]=O(i[m],o[x]),m--,x--;else if(a[h]===n[x])c[x]=O(i[h],o[x]),D(s,c[x+1],i[h]),h++,x--;else if(a[m]===n[f])c[f]=O(i[m],o[f]),D(s,i[h],i[m]),m--,f++;else if(l===void 0&&(l=ke(n,f,x),d=ke(a,h,m)),l.has(a[h]))if(l.has(a[m])){let w=d.get(n[f]),bt=w!==void 0?i[w]:null;if(bt===null){let qt=D(s,i[h]);O(qt,o[f]),c[f]=qt}else c[f]=O(bt,o[f]),D(s,i[h],bt),i[w]=null;f++}else $t(i[m]),m--;else $t(i[h]),h++;for(;f<=x;){let w=D(s,c[x+1]);O(w,o[f]),c[f++]=w}for(;h<=m;){let w=i[h++];w!==null&&$t(w)}return this.ut=n,B(s,c),y}});var Se={template({field:s,how:t,draft:e,set:r}){let i=e??s.items.map(a=>a.label),o=new Map(s.items.map(a=>[a.label,a])),n=(a,c)=>{let l=i.indexOf(a),d=l+c;if(d<0||d>=i.length)return;let h=i.toSpliced(l,1);r(h.toSpliced(d,0,a))};return p`<ol class="order" aria-labelledby=${t}>
      ${Ee(i,a=>a,a=>p`<li>
          <span class="letter">${a})</span>
          <span class="item">${b(o.get(a).html)}</span>
          <button type="button" aria-label="Move ${a} up" @click=${()=>n(a,-1)}>↑</button>
          <button type="button" aria-label="Move ${a} down" @click=${()=>n(a,1)}>↓</button>
        </li>`)}
    </ol>`},answer:(s,t)=>t??null};var Me={template({field:s,id:t,draft:e,set:r}){let i=o=>p`<div class="pair">
      <span class="letter">${o.label}.</span>
      <span class="item">${b(o.html)}</span>
      <select
        id="${t}-${o.label}" aria-label="${o.label} belongs to"
        .value=${v(e?.[o.label]??"")}
        @change=${n=>r({...e,[o.label]:n.target.value})}>
        <option value="">–</option>
        ${s.options.map(({label:n})=>p`<option value=${n} ?selected=${n===e?.[o.label]}>${n}</option>`)}
      </select>
    </div>`;return p`<div>${s.items.map(i)}</div>
      <ul class="known">
        ${s.options.map(o=>p`<li>
            <span class="letter">${o.label})</span><span class="item">${b(o.html)}</span>
          </li>`)}
      </ul>`},answer:(s,t)=>Object.fromEntries(Object.entries(t??{}).filter(([,e])=>e))};var Te={template:({field:s,id:t,how:e,draft:r,set:i})=>p`<div class="field">
    <label class="label" for=${t}>${s.label}</label>
    <textarea
      id=${t} class="code" rows=${Math.max(8,s.source.split(`
`).length+3)}
      spellcheck="false" autocapitalize="off" aria-describedby=${e}
      .value=${v(r??s.source)} @input=${o=>i(o.target.value)}></textarea>
  </div>`,answer:(s,t)=>t==null||t===s.source?null:t};var Ce={template:({field:s,id:t,how:e,draft:r,set:i})=>p`<div class="field">
    <label class="label" for=${t}>${s.label}</label>
    <select id=${t} aria-describedby=${e} .value=${v(r??"")} @change=${o=>i(o.target.value)}>
      <option value="">–</option>
      ${s.values.map(o=>p`<option value=${o} ?selected=${o===r}>${o}</option>`)}
    </select>
  </div>`,answer:(s,t)=>t??""};var Pe={group:be,line:ve,listing:we,number:_e,options:Ae,order:Se,pairs:Me,program:Te,select:Ce},Nt=s=>s.length===1&&!s[0].name,Oe=(s,t,e)=>Nt(s)?e:e?.[t.name];function Q(s,t){return s.map(e=>{let r=Nt(s)?t.path:[...t.path,e.name];return Pe[e.type].template({...t,field:e,path:r,id:`${t.id}-${e.name??"0"}`,draft:Oe(s,e,t.draft),set:i=>t.change(r,i),beside:{fields:s,draft:t.draft}})})}function gt(s,t){let e=s.map(r=>Pe[r.type].answer(r,Oe(s,r,t),{fields:s,draft:t}));return Nt(s)?e[0]:Object.fromEntries(s.map((r,i)=>[r.name,e[i]]).filter(([,r])=>r!==null))}function Ut(s,[t,...e],r){return t===void 0?r:{...s,[t]:Ut(s?.[t],e,r)}}var ps=1e3,ms="Still waiting for Python. It may be busy with another cell; if the kernel was restarted, run this cell again.";function Ht(s){return Object.assign(document.createElement("p"),{textContent:s}).outerHTML}var xt=class extends A{static styles=ut;static properties={host:{attribute:!1},given:{attribute:!1},question:{state:!0},draft:{state:!0},said:{state:!0},hints:{state:!0},solution:{state:!0},trail:{state:!0}};#r=0;willUpdate(t){t.has("given")&&(this.trail=[],this.#o(this.given.question),this.#e())}async#e(){let{id:t,seed:e}=this.given.question,r=this.host.draft.get(`variants ${t} ${e}`)??[];if(!r.length)return;let i=await this.#s({do:"question",seed:r.at(-1)});i.question&&(this.trail=[e,...r.slice(0,-1)].map(o=>({problem:t,seed:o})),this.#o(i.question))}#o(t){this.question=t,this.draft=this.host.draft.get(this.#n)??null,this.hints=[],this.solution="",this.#t()}get#n(){return`answer ${this.question.id} ${this.question.seed}`}#t(t="",e=""){this.#r+=1,this.said={outcome:t,html:e}}async#s(t){let e=this.question,r=setTimeout(()=>this.#t("blank",Ht(ms)),ps),i=await this.host.ask({problem:e.id,seed:e.seed,...t}).catch(o=>({error:Ht(o.message)})).finally(()=>clearTimeout(r));return this.question!==e?{}:(i.error&&this.#t("broken",i.error),i)}#p=(t,e)=>{this.draft=Ut(this.draft,t,e),this.host.draft.set(this.#n,this.draft)};async#l(t){t.preventDefault();let{verdict:e}=await this.#s({do:"check",answer:gt(this.question.form.fields,this.draft)});e&&this.#t(e.outcome,e.html)}async#u(){let{hints:t}=await this.#s({do:"hint",shown:this.hints.length});t&&(this.hints=t)}async#c(){let{solution:t}=await this.#s({do:"solution"});t&&(this.solution=t)}async#h(t,e){let r={problem:this.question.id,seed:this.question.seed},{question:i,end:o}=await this.#s(t);o&&this.#t("blank",o),i&&this.#i([...this.trail,r],i,e)}async#d(){let{question:t}=await this.#s({do:"question",...this.trail.at(-1)});t&&this.#i(this.trail.slice(0,-1),t,"This is the one before, with your answer.")}#i(t,e,r){let i=e.id!==this.question.id;this.trail=t,this.#o(e),this.#t("new",Ht(r));let{id:o,seed:n}=this.given.question;if(e.id===o){let a=[...t.filter(c=>c.problem===o).map(c=>c.seed),e.seed];this.host.draft.set(`variants ${o} ${n}`,a.slice(1))}this.updateComplete.then(()=>{let a=this.renderRoot.querySelector("h3");a.scrollIntoView({block:"nearest"}),i&&a.focus()})}#a(t){t.key==="Enter"&&t.target.tagName==="INPUT"&&!t.isComposing&&this.#l(t)}render(){let{question:t}=this;return p`
      <section aria-labelledby="title">
        <header>
          <h3 id="title" tabindex="-1">${t.title}</h3>
          <span class="quiet">${t.points}</span>
        </header>
        <div class="prose">${b(t.prompt)}</div>
        <form novalidate @submit=${this.#l} @keydown=${this.#a}>
          ${t.form.html?p`<div class="prose">${b(t.form.html)}</div>`:$}
          <p id="how" class="quiet">${t.form.how}</p>
          ${Ot(this.#n,p`<div class="fields">
              ${Q(t.form.fields,{id:"answer",how:"how",path:[],draft:this.draft,change:this.#p,ask:e=>this.host.ask({problem:t.id,seed:t.seed,...e})})}
            </div>`)}
          <div class="buttons"><button class="primary">Check</button></div>
        </form>
        <div role="status" class="prose said" data-outcome=${this.said.outcome}>
          ${Ot(this.#r,p`<div>${b(this.said.html)}</div>`)}
        </div>
        ${this.#m()}
        <div aria-live="polite">
          ${this.hints.map(e=>p`<div class="prose more">${b(e)}</div>`)}
        </div>
        <div aria-live="polite">
          ${this.solution?p`<div class="prose more">${b(this.solution)}</div>`:$}
        </div>
      </section>
    `}#m(){let t=this.question.hints-this.hints.length,e=(r,i,o=!1)=>p`<button type="button" aria-disabled=${o?"true":"false"} @click=${()=>o||i()}>${r}</button>`;return p`
      <div class="buttons" role="group" aria-label="Go on">
        ${e(t>0?`Hint (${t} left)`:"No more hints",()=>this.#u(),t<=0)}
        ${e("Solution",()=>this.#c(),this.solution!=="")}
        ${e("Another",()=>this.#h({do:"another"},"The same with new numbers."))}
        ${e("Next",()=>this.#h({do:"next"},"The next problem of this chapter."))}
        ${this.trail.length?e("Back",()=>this.#d()):$}
      </div>
    `}};var us={figure:ft,problem:xt},It=s=>`shardwise-${s}-1a604c5c105b`;for(let[s,t]of Object.entries(us))customElements.get(It(s))||customElements.define(It(s),t);function Rt(s,t,e){return Object.assign(document.createElement(It(s)),{className:"shardwise",host:t,given:e})}var fs="Python cannot be reached. If the kernel was restarted or has stopped, run this cell again.",$s=300;function gs({model:s,el:t}){let e=xs(s),r=bs(s),i=_s(t);ws(t,()=>s.widget_manager?.context?.save()),t.append(Rt(s.get("what"),{ask:e.ask,draft:r},s.get("given")));for(let o of document.querySelectorAll(`.shardwise-waits[data-token="${s.get("token")}"]`))o.hidden=!0;return()=>{r.flush(),e.close(),i.disconnect()}}function xs(s){let t=new Map,e=0,r=o=>{t.get(o?.id)?.(o.reply),t.delete(o?.id)};return s.on("msg:custom",r),{ask:o=>new Promise((n,a)=>{let c=`${crypto.randomUUID()}-${e++}`;t.set(c,n);try{s.send({id:c,request:o})}catch{t.delete(c),a(new Error(fs))}}),close:()=>s.off("msg:custom",r)}}function bs(s){let t=s.widget_manager?.context?.model,e=t?.setMetadata&&t.getMetadata?ys(t):vs(s),r={},i,o=()=>{clearTimeout(i),Object.keys(r).length&&e.write({...e.read(),...r}),r={}};return{get:n=>r[n]??e.read()[n],set(n,a){r[n]=a,clearTimeout(i),i=setTimeout(o,$s)},flush:o}}function ys(s){let t=()=>s.getMetadata("shardwise")??{};return{read:()=>t().drafts??{},write:e=>s.setMetadata("shardwise",{...t(),drafts:e})}}function vs(s){return{read:()=>s.get("drafts")??{},write(t){s.set("drafts",t),s.save_changes()}}}function ws(s,t){s.dataset.lmSuppressShortcuts="true",s.addEventListener("keydown",e=>{e.stopPropagation(),(e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="s"&&(e.preventDefault(),t())})}function _s(s){let t=()=>{let{jpThemeLight:r,vscodeThemeKind:i}=document.body.dataset,o=r==="false"||i?.includes("dark")||document.documentElement.getAttribute("theme")==="dark";s.style.colorScheme=o?"dark":"light"};t();let e=new MutationObserver(t);return e.observe(document.body,{attributes:!0}),e.observe(document.documentElement,{attributes:!0}),e}export{gs as inJupyter,Rt as show};
/*! Bundled license information:

@lit/reactive-element/css-tag.js:
  (**
   * @license
   * Copyright 2019 Google LLC
   * SPDX-License-Identifier: BSD-3-Clause
   *)

@lit/reactive-element/reactive-element.js:
lit-html/lit-html.js:
lit-element/lit-element.js:
lit-html/directive.js:
lit-html/directives/unsafe-html.js:
lit-html/directives/repeat.js:
  (**
   * @license
   * Copyright 2017 Google LLC
   * SPDX-License-Identifier: BSD-3-Clause
   *)

lit-html/is-server.js:
  (**
   * @license
   * Copyright 2022 Google LLC
   * SPDX-License-Identifier: BSD-3-Clause
   *)

lit-html/directive-helpers.js:
lit-html/directives/live.js:
  (**
   * @license
   * Copyright 2020 Google LLC
   * SPDX-License-Identifier: BSD-3-Clause
   *)

lit-html/directives/keyed.js:
  (**
   * @license
   * Copyright 2021 Google LLC
   * SPDX-License-Identifier: BSD-3-Clause
   *)
*/
