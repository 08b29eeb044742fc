// Built from desk/ by "make desk"; not to be edited. Digest of the sources: 59ce2c92966f
var rt=globalThis,it=rt.ShadowRoot&&(rt.ShadyCSS===void 0||rt.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,Et=Symbol(),Vt=new WeakMap,K=class{constructor(t,e,r){if(this._$cssResult$=!0,r!==Et)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=t,this.t=e}get styleSheet(){let t=this.o,e=this.t;if(it&&t===void 0){let r=e!==void 0&&e.length===1;r&&(t=Vt.get(e)),t===void 0&&((this.o=t=new CSSStyleSheet).replaceSync(this.cssText),r&&Vt.set(e,t))}return t}toString(){return this.cssText}},Ft=s=>new K(typeof s=="string"?s:s+"",void 0,Et),R=(s,...t)=>{let e=s.length===1?s[0]:t.reduce((r,i,o)=>r+(n=>{if(n._$cssResult$===!0)return n.cssText;if(typeof n=="number")return n;throw Error("Value passed to 'css' function must be a 'css' function result: "+n+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(i)+s[o+1],s[0]);return new K(e,s,Et)},Kt=(s,t)=>{if(it)s.adoptedStyleSheets=t.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let e of t){let r=document.createElement("style"),i=rt.litNonce;i!==void 0&&r.setAttribute("nonce",i),r.textContent=e.cssText,s.appendChild(r)}},St=it?s=>s:s=>s instanceof CSSStyleSheet?(t=>{let e="";for(let r of t.cssRules)e+=r.cssText;return Ft(e)})(s):s;var{is:je,defineProperty:De,getOwnPropertyDescriptor:Be,getOwnPropertyNames:ze,getOwnPropertySymbols:Ve,getPrototypeOf:Fe}=Object,ot=globalThis,Gt=ot.trustedTypes,Ke=Gt?Gt.emptyScript:"",Ge=ot.reactiveElementPolyfillSupport,G=(s,t)=>s,Mt={toAttribute(s,t){switch(t){case Boolean:s=s?Ke:null;break;case Object:case Array:s=s==null?s:JSON.stringify(s)}return s},fromAttribute(s,t){let e=s;switch(t){case Boolean:e=s!==null;break;case Number:e=s===null?null:Number(s);break;case Object:case Array:try{e=JSON.parse(s)}catch{e=null}}return e}},Yt=(s,t)=>!je(s,t),Wt={attribute:!0,type:String,converter:Mt,reflect:!1,useDefault:!1,hasChanged:Yt};Symbol.metadata??=Symbol("metadata"),ot.litPropertyMetadata??=new WeakMap;var C=class extends HTMLElement{static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(t,e=Wt){if(e.state&&(e.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(t)&&((e=Object.create(e)).wrapped=!0),this.elementProperties.set(t,e),!e.noAccessor){let r=Symbol(),i=this.getPropertyDescriptor(t,r,e);i!==void 0&&De(this.prototype,t,i)}}static getPropertyDescriptor(t,e,r){let{get:i,set:o}=Be(this.prototype,t)??{get(){return this[e]},set(n){this[e]=n}};return{get:i,set(n){let c=i?.call(this);o?.call(this,n),this.requestUpdate(t,c,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(t){return this.elementProperties.get(t)??Wt}static _$Ei(){if(this.hasOwnProperty(G("elementProperties")))return;let t=Fe(this);t.finalize(),t.l!==void 0&&(this.l=[...t.l]),this.elementProperties=new Map(t.elementProperties)}static finalize(){if(this.hasOwnProperty(G("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(G("properties"))){let e=this.properties,r=[...ze(e),...Ve(e)];for(let i of r)this.createProperty(i,e[i])}let t=this[Symbol.metadata];if(t!==null){let e=litPropertyMetadata.get(t);if(e!==void 0)for(let[r,i]of e)this.elementProperties.set(r,i)}this._$Eh=new Map;for(let[e,r]of this.elementProperties){let i=this._$Eu(e,r);i!==void 0&&this._$Eh.set(i,e)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(t){let e=[];if(Array.isArray(t)){let r=new Set(t.flat(1/0).reverse());for(let i of r)e.unshift(St(i))}else t!==void 0&&e.push(St(t));return e}static _$Eu(t,e){let r=e.attribute;return r===!1?void 0:typeof r=="string"?r:typeof t=="string"?t.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(t=>this.enableUpdating=t),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(t=>t(this))}addController(t){(this._$EO??=new Set).add(t),this.renderRoot!==void 0&&this.isConnected&&t.hostConnected?.()}removeController(t){this._$EO?.delete(t)}_$E_(){let t=new Map,e=this.constructor.elementProperties;for(let r of e.keys())this.hasOwnProperty(r)&&(t.set(r,this[r]),delete this[r]);t.size>0&&(this._$Ep=t)}createRenderRoot(){let t=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return Kt(t,this.constructor.elementStyles),t}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(t=>t.hostConnected?.())}enableUpdating(t){}disconnectedCallback(){this._$EO?.forEach(t=>t.hostDisconnected?.())}attributeChangedCallback(t,e,r){this._$AK(t,r)}_$ET(t,e){let r=this.constructor.elementProperties.get(t),i=this.constructor._$Eu(t,r);if(i!==void 0&&r.reflect===!0){let o=(r.converter?.toAttribute!==void 0?r.converter:Mt).toAttribute(e,r.type);this._$Em=t,o==null?this.removeAttribute(i):this.setAttribute(i,o),this._$Em=null}}_$AK(t,e){let r=this.constructor,i=r._$Eh.get(t);if(i!==void 0&&this._$Em!==i){let o=r.getPropertyOptions(i),n=typeof o.converter=="function"?{fromAttribute:o.converter}:o.converter?.fromAttribute!==void 0?o.converter:Mt;this._$Em=i;let c=n.fromAttribute(e,o.type);this[i]=c??this._$Ej?.get(i)??c,this._$Em=null}}requestUpdate(t,e,r,i=!1,o){if(t!==void 0){let n=this.constructor;if(i===!1&&(o=this[t]),r??=n.getPropertyOptions(t),!((r.hasChanged??Yt)(o,e)||r.useDefault&&r.reflect&&o===this._$Ej?.get(t)&&!this.hasAttribute(n._$Eu(t,r))))return;this.C(t,e,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(t,e,{useDefault:r,reflect:i,wrapped:o},n){r&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,n??e??this[t]),o!==!0||n!==void 0)||(this._$AL.has(t)||(this.hasUpdated||r||(e=void 0),this._$AL.set(t,e)),i===!0&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.reject(e)}let t=this.scheduleUpdate();return t!=null&&await t,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[i,o]of this._$Ep)this[i]=o;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[i,o]of r){let{wrapped:n}=o,c=this[i];n!==!0||this._$AL.has(i)||c===void 0||this.C(i,void 0,o,c)}}let t=!1,e=this._$AL;try{t=this.shouldUpdate(e),t?(this.willUpdate(e),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(e)):this._$EM()}catch(r){throw t=!1,this._$EM(),r}t&&this._$AE(e)}willUpdate(t){}_$AE(t){this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),this.updated(t)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(t){return!0}update(t){this._$Eq&&=this._$Eq.forEach(e=>this._$ET(e,this[e])),this._$EM()}updated(t){}firstUpdated(t){}};C.elementStyles=[],C.shadowRootOptions={mode:"open"},C[G("elementProperties")]=new Map,C[G("finalized")]=new Map,Ge?.({ReactiveElement:C}),(ot.reactiveElementVersions??=[]).push("2.1.2");var Ct=globalThis,Jt=s=>s,nt=Ct.trustedTypes,Qt=nt?nt.createPolicy("lit-html",{createHTML:s=>s}):void 0,Pt="$lit$",P=`lit$${Math.random().toFixed(9).slice(2)}$`,Ot="?"+P,We=`<${Ot}>`,L=document,Y=()=>L.createComment(""),J=s=>s===null||typeof s!="object"&&typeof s!="function",qt=Array.isArray,re=s=>qt(s)||typeof s?.[Symbol.iterator]=="function",Tt=`[ 	
\f\r]`,W=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Zt=/-->/g,Xt=/>/g,H=RegExp(`>|${Tt}(?:([^\\s"'>=/]+)(${Tt}*=${Tt}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),te=/'/g,ee=/"/g,ie=/^(?:script|style|textarea|title)$/i,Nt=s=>(t,...e)=>({_$litType$:s,strings:t,values:e}),m=Nt(1),g=Nt(2),Hs=Nt(3),_=Symbol.for("lit-noChange"),$=Symbol.for("lit-nothing"),se=new WeakMap,I=L.createTreeWalker(L,129);function oe(s,t){if(!qt(s)||!s.hasOwnProperty("raw"))throw Error("invalid template strings array");return Qt!==void 0?Qt.createHTML(t):t}var ne=(s,t)=>{let e=s.length-1,r=[],i,o=t===2?"<svg>":t===3?"<math>":"",n=W;for(let c=0;c<e;c++){let l=s[c],a,h,d=-1,u=0;for(;u<l.length&&(n.lastIndex=u,h=n.exec(l),h!==null);)u=n.lastIndex,n===W?h[1]==="!--"?n=Zt:h[1]!==void 0?n=Xt:h[2]!==void 0?(ie.test(h[2])&&(i=RegExp("</"+h[2],"g")),n=H):h[3]!==void 0&&(n=H):n===H?h[0]===">"?(n=i??W,d=-1):h[1]===void 0?d=-2:(d=n.lastIndex-h[2].length,a=h[1],n=h[3]===void 0?H:h[3]==='"'?ee:te):n===ee||n===te?n=H:n===Zt||n===Xt?n=W:(n=H,i=void 0);let f=n===H&&s[c+1].startsWith("/>")?" ":"";o+=n===W?l+We:d>=0?(r.push(a),l.slice(0,d)+Pt+l.slice(d)+P+f):l+P+(d===-2?c:f)}return[oe(s,o+(s[e]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),r]},Q=class s{constructor({strings:t,_$litType$:e},r){let i;this.parts=[];let o=0,n=0,c=t.length-1,l=this.parts,[a,h]=ne(t,e);if(this.el=s.createElement(a,r),I.currentNode=this.el.content,e===2||e===3){let d=this.el.content.firstChild;d.replaceWith(...d.childNodes)}for(;(i=I.nextNode())!==null&&l.length<c;){if(i.nodeType===1){if(i.hasAttributes())for(let d of i.getAttributeNames())if(d.endsWith(Pt)){let u=h[n++],f=i.getAttribute(d).split(P),p=/([.?@])?(.*)/.exec(u);l.push({type:1,index:o,name:p[2],strings:f,ctor:p[1]==="."?lt:p[1]==="?"?ct:p[1]==="@"?ht:D}),i.removeAttribute(d)}else d.startsWith(P)&&(l.push({type:6,index:o}),i.removeAttribute(d));if(ie.test(i.tagName)){let d=i.textContent.split(P),u=d.length-1;if(u>0){i.textContent=nt?nt.emptyScript:"";for(let f=0;f<u;f++)i.append(d[f],Y()),I.nextNode(),l.push({type:2,index:++o});i.append(d[u],Y())}}}else if(i.nodeType===8)if(i.data===Ot)l.push({type:2,index:o});else{let d=-1;for(;(d=i.data.indexOf(P,d+1))!==-1;)l.push({type:7,index:o}),d+=P.length-1}o++}}static createElement(t,e){let r=L.createElement("template");return r.innerHTML=t,r}};function j(s,t,e=s,r){if(t===_)return t;let i=r!==void 0?e._$Co?.[r]:e._$Cl,o=J(t)?void 0:t._$litDirective$;return i?.constructor!==o&&(i?._$AO?.(!1),o===void 0?i=void 0:(i=new o(s),i._$AT(s,e,r)),r!==void 0?(e._$Co??=[])[r]=i:e._$Cl=i),i!==void 0&&(t=j(s,i._$AS(s,t.values),i,r)),t}var at=class{constructor(t,e){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=e}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:e},parts:r}=this._$AD,i=(t?.creationScope??L).importNode(e,!0);I.currentNode=i;let o=I.nextNode(),n=0,c=0,l=r[0];for(;l!==void 0;){if(n===l.index){let a;l.type===2?a=new B(o,o.nextSibling,this,t):l.type===1?a=new l.ctor(o,l.name,l.strings,this,t):l.type===6&&(a=new dt(o,this,t)),this._$AV.push(a),l=r[++c]}n!==l?.index&&(o=I.nextNode(),n++)}return I.currentNode=L,i}p(t){let e=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(t,r,e),e+=r.strings.length-2):r._$AI(t[e])),e++}},B=class s{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,e,r,i){this.type=2,this._$AH=$,this._$AN=void 0,this._$AA=t,this._$AB=e,this._$AM=r,this.options=i,this._$Cv=i?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,e=this._$AM;return e!==void 0&&t?.nodeType===11&&(t=e.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,e=this){t=j(this,t,e),J(t)?t===$||t==null||t===""?(this._$AH!==$&&this._$AR(),this._$AH=$):t!==this._$AH&&t!==_&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):re(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==$&&J(this._$AH)?this._$AA.nextSibling.data=t:this.T(L.createTextNode(t)),this._$AH=t}$(t){let{values:e,_$litType$:r}=t,i=typeof r=="number"?this._$AC(t):(r.el===void 0&&(r.el=Q.createElement(oe(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===i)this._$AH.p(e);else{let o=new at(i,this),n=o.u(this.options);o.p(e),this.T(n),this._$AH=o}}_$AC(t){let e=se.get(t.strings);return e===void 0&&se.set(t.strings,e=new Q(t)),e}k(t){qt(this._$AH)||(this._$AH=[],this._$AR());let e=this._$AH,r,i=0;for(let o of t)i===e.length?e.push(r=new s(this.O(Y()),this.O(Y()),this,this.options)):r=e[i],r._$AI(o),i++;i<e.length&&(this._$AR(r&&r._$AB.nextSibling,i),e.length=i)}_$AR(t=this._$AA.nextSibling,e){for(this._$AP?.(!1,!0,e);t!==this._$AB;){let r=Jt(t).nextSibling;Jt(t).remove(),t=r}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},D=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,e,r,i,o){this.type=1,this._$AH=$,this._$AN=void 0,this.element=t,this.name=e,this._$AM=i,this.options=o,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=$}_$AI(t,e=this,r,i){let o=this.strings,n=!1;if(o===void 0)t=j(this,t,e,0),n=!J(t)||t!==this._$AH&&t!==_,n&&(this._$AH=t);else{let c=t,l,a;for(t=o[0],l=0;l<o.length-1;l++)a=j(this,c[r+l],e,l),a===_&&(a=this._$AH[l]),n||=!J(a)||a!==this._$AH[l],a===$?t=$:t!==$&&(t+=(a??"")+o[l+1]),this._$AH[l]=a}n&&!i&&this.j(t)}j(t){t===$?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},lt=class extends D{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===$?void 0:t}},ct=class extends D{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==$)}},ht=class extends D{constructor(t,e,r,i,o){super(t,e,r,i,o),this.type=5}_$AI(t,e=this){if((t=j(this,t,e,0)??$)===_)return;let r=this._$AH,i=t===$&&r!==$||t.capture!==r.capture||t.once!==r.once||t.passive!==r.passive,o=t!==$&&(r===$||i);i&&this.element.removeEventListener(this.name,this,r),o&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},dt=class{constructor(t,e,r){this.element=t,this.type=6,this._$AN=void 0,this._$AM=e,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(t){j(this,t)}},ae={M:Pt,P,A:Ot,C:1,L:ne,R:at,D:re,V:j,I:B,H:D,N:ct,U:ht,B:lt,F:dt},Ye=Ct.litHtmlPolyfillSupport;Ye?.(Q,B),(Ct.litHtmlVersions??=[]).push("3.3.3");var le=(s,t,e)=>{let r=e?.renderBefore??t,i=r._$litPart$;if(i===void 0){let o=e?.renderBefore??null;r._$litPart$=i=new B(t.insertBefore(Y(),o),o,void 0,e??{})}return i._$AI(s),i};var Ut=globalThis,E=class extends C{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let t=super.createRenderRoot();return this.renderOptions.renderBefore??=t.firstChild,t}update(t){let e=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(t),this._$Do=le(e,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return _}};E._$litElement$=!0,E.finalized=!0,Ut.litElementHydrateSupport?.({LitElement:E});var Je=Ut.litElementPolyfillSupport;Je?.({LitElement:E});(Ut.litElementVersions??=[]).push("4.2.2");var k={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},O=s=>(...t)=>({_$litDirective$:s,values:t}),S=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,e,r){this._$Ct=t,this._$AM=e,this._$Ci=r}_$AS(t,e){return this.update(t,e)}update(t,e){return this.render(...e)}};var Z=class extends S{constructor(t){if(super(t),this.it=$,t.type!==k.CHILD)throw Error(this.constructor.directiveName+"() can only be used in child bindings")}render(t){if(t===$||t==null)return this._t=void 0,this.it=t;if(t===_)return t;if(typeof t!="string")throw Error(this.constructor.directiveName+"() called with a non-string value");if(t===this.it)return this._t;this.it=t;let e=[t];return e.raw=e,this._t={_$litType$:this.constructor.resultType,strings:e,values:[]}}};Z.directiveName="unsafeHTML",Z.resultType=1;var v=O(Z);var Qe=Math.sqrt(50),Ze=Math.sqrt(10),Xe=Math.sqrt(2);function Rt(s,t,e){let r=(t-s)/Math.max(0,e),i=Math.floor(Math.log10(r)),o=r/Math.pow(10,i),n=o>=Qe?10:o>=Ze?5:o>=Xe?2:1,c,l,a;return i<0?(a=Math.pow(10,-i)/n,c=Math.round(s*a),l=Math.round(t*a),c/a<s&&++c,l/a>t&&--l,a=-a):(a=Math.pow(10,i)*n,c=Math.round(s/a),l=Math.round(t/a),c*a<s&&++c,l*a>t&&--l),l<c&&.5<=e&&e<2?Rt(s,t,e*2):[c,l,a]}function X(s,t,e){if(t=+t,s=+s,e=+e,!(e>0))return[];if(s===t)return[s];let r=t<s,[i,o,n]=r?Rt(t,s,e):Rt(s,t,e);if(!(o>=i))return[];let c=o-i+1,l=new Array(c);if(r)if(n<0)for(let a=0;a<c;++a)l[a]=(o-a)/-n;else for(let a=0;a<c;++a)l[a]=(o-a)*n;else if(n<0)for(let a=0;a<c;++a)l[a]=(i+a)/-n;else for(let a=0;a<c;++a)l[a]=(i+a)*n;return l}var ts=new Intl.NumberFormat("en",{maximumSignificantDigits:3}),M=s=>Math.abs(s)>=1e6||s&&Math.abs(s)<.001?s.toExponential(1):ts.format(s);function T(s,t,e){let r=s.log?Math.log:n=>n,i=r(s.low),o=r(s.high)-i||1;return n=>t+(r(n)-i)/o*(e-t)}function ce(s,t=5){if(s.ticks)return s.ticks.filter(([o])=>o>=s.low&&o<=s.high);if(!s.log)return X(s.low,s.high,t).map(o=>[o,M(o)]);let e=Math.ceil(Math.log10(s.low)-1e-9),r=Math.floor(Math.log10(s.high)+1e-9);return X(e,r,t).filter(Number.isInteger).map(o=>[10**o,M(10**o)])}function q(s,t,{left:e,right:r,top:i,bottom:o}){return g`<g class="axis">
    ${ce(s,r-e<420?4:7).map(([n,c])=>g`<line class="grid" x1=${t(n)} x2=${t(n)} y1=${i} y2=${o}></line>
        <text x=${t(n)} y=${o+15} text-anchor="middle">${c}</text>`)}
    <text class="name" x=${(e+r)/2} y=${o+33} text-anchor="middle">${s.label}</text>
  </g>`}function pt(s,t,{left:e,right:r,top:i}){return g`<g class="axis">
    ${ce(s).map(([o,n])=>g`<line class="grid" x1=${e} x2=${r} y1=${t(o)} y2=${t(o)}></line>
        <text x=${e-6} y=${t(o)+4} text-anchor="end">${n}</text>`)}
    <text class="name" x="2" y=${i-10}>${s.label}</text>
  </g>`}var he=R`
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
`,y=s=>`var(--draw-${s??"blue"})`;var de=22,Ht=6.6;function mt(s,t){let e=Math.max(...s.rows.map(u=>u.name.length))*Ht+10,r=e>t*.28,i=de+(r?28:12),o=s.limit?22:6,n={left:r?2:e,right:t-12,top:o,bottom:o+s.rows.length*i},c=Math.max(...s.rows.map(u=>(u.text??"").length))*Ht+8,l=s.rows.map(pe),a=s.axis.high??Math.max(...l,s.limit?.at??0),h={...s.axis,low:0,high:a},d=T(h,n.left,n.right-c);return{height:n.bottom+42,picture:g`
      ${q(h,d,{...n,right:n.right-c})}
      ${s.rows.map((u,f)=>{let p=n.top+f*i+(r?20:6),x=d(Math.min(a,l[f]));return g`<g>
          ${r?g`<text x=${n.left} y=${p-5}>${u.name}</text>`:g`<text x=${n.left-8} y=${p+15} text-anchor="end">${u.name}</text>`}
          ${es(u,d,p,s.kinds,a)}
          <text x=${x+5} y=${p+15}>${u.text}</text>
        </g>`})}
      ${s.limit?ss(s.limit,d(s.limit.at),n):""}`}}var pe=s=>s.parts.reduce((t,e)=>t+e.size,0);function es(s,t,e,r,i){let o=0;return s.parts.map(n=>{let[c,l]=[t(Math.min(i,o)),t(Math.min(i,o+n.size))];o+=n.size;let a=n.text??"";return g`<rect x=${c} y=${e} width=${Math.max(0,l-c-.5)} height=${de} fill=${y(r[n.kind].colour)}></rect>
      ${a&&l-c>a.length*Ht+6?g`<text class="on" x=${(c+l)/2} y=${e+15} text-anchor="middle">${a}</text>`:""}`})}function ss({text:s},t,e){let r=t>(e.left+e.right)/2?"end":"start";return g`<line class="mark" x1=${t} x2=${t} y1="16" y2=${e.bottom}></line>
    <text x=${t} y="12" text-anchor=${r}>${s}</text>`}mt.legend=s=>{let t=new Set(s.rows.flatMap(e=>e.parts.map(r=>r.kind)));return Object.entries(s.kinds).filter(([e])=>t.has(e)).map(([,{name:e,colour:r}])=>({name:e,colour:r,shape:"area"}))};mt.table=s=>{let t=Object.keys(s.kinds),e=(r,i)=>r.parts.filter(o=>o.kind===i).reduce((o,n)=>o+n.size,0);return{head:["bar",...t.map(r=>s.kinds[r].name),`all: ${s.axis.label}`],rows:s.rows.map(r=>[r.name,...t.map(i=>M(e(r,i))),M(pe(r))])}};var z=24,me=6.6;function ut(s,t,e){let r=s.marks??[],i=r.some(a=>a.text)?22:6,o=Math.max(...s.rows.map(a=>a.length))*me+10,n={left:o,right:t-18,top:i,bottom:i+s.rows.length*(z+6)},c=T(s.axis,n.left,n.right),l=s.now??Number.POSITIVE_INFINITY;return{height:n.bottom+42,picture:g`
      ${q(s.axis,c,n)}
      ${s.rows.map((a,h)=>g`<text x=${o-8} y=${i+h*(z+6)+20} text-anchor="end">${a}</text>`)}
      ${s.spans.map((a,h)=>a.from<l?rs(a,h,s,c,i,l,e):"")}
      ${r.map(a=>is(a,c(a.x),n))}
      ${Number.isFinite(l)?g`<line class="now" x1=${c(l)} x2=${c(l)} y1=${i} y2=${n.bottom} stroke="var(--text)"></line>`:""}`}}function rs(s,t,e,r,i,o,n){let[c,l]=[r(s.from),r(Math.min(o,s.to))],a=i+3+s.row*(z+6)+(s.low?z*.3:0),h=s.low?z*.7:z,d=e.kinds[s.kind],u=s.text??"",f=l-c>u.length*me+2;return g`<g class=${n?"pickable":""} @click=${n?()=>n(t):null}>
    <rect x=${c} y=${a} width=${Math.max(.5,l-c-1)} height=${h} rx="2" fill=${y(d.colour)}
      stroke=${e.picked===t?"var(--text)":"none"} stroke-width="2"><title>${ue(s,e)}</title></rect>
    ${u&&f?g`<text class="on" x=${(c+l)/2} y=${a+h/2+4} text-anchor="middle">${u}</text>`:""}
  </g>`}function is(s,t,e){let r=t>(e.left+e.right)/2?"end":"start";return g`<line class="mark" x1=${t} x2=${t} y1=${e.top-4} y2=${e.bottom}></line>
    <text x=${t} y=${e.top-8} text-anchor=${r}>${s.text}</text>`}function ue(s,t){return`${[t.kinds[s.kind].name,s.text].filter(Boolean).join(" ")}: ${M(s.from)} to ${M(s.to)}`}ut.legend=s=>{let t=new Set(s.spans.map(e=>e.kind));return Object.entries(s.kinds).filter(([e])=>t.has(e)).map(([,{name:e,colour:r}])=>({name:e,colour:r,shape:"area"}))};ut.table=s=>({head:["row",`in the order of time, ${s.axis.label}`],rows:s.rows.map((t,e)=>[t,s.spans.filter(r=>r.row===e).sort((r,i)=>r.from-i.from).map(r=>ue(r,s)).join("; ")])});var fe=300;function ft(s,t){let e={left:58,right:t-18,top:26,bottom:fe-44},r=T(s.x,e.left,e.right),i=T(s.y,e.bottom,e.top),o=n=>Math.min(e.bottom,Math.max(e.top,n));return{height:fe,picture:g`
      ${q(s.x,r,e)} ${pt(s.y,i,e)}
      ${(s.areas??[]).map(n=>g`<path d=${as(n.points,r,c=>o(i(c)))} fill=${y(n.colour)} fill-opacity="0.22"></path>`)}
      ${s.lines.map(n=>os(n,s.now)).map(n=>n.dots?ls(n,r,i):g`<path class="line ${n.dashed?"dashed":""}" d=${ns(n,r,c=>o(i(c)))} stroke=${y(n.colour)}></path>`)}
      ${(s.marks??[]).map(n=>cs(n,r,i,e))}`}}function os(s,t=Number.POSITIVE_INFINITY){let e=s.points.filter(([i])=>i<=t),r=s.steps&&e.length&&e.length<s.points.length;return{...s,points:r?[...e,[t,e[e.length-1][1]]]:e}}function ns(s,t,e){let r=null;return s.points.map(([o,n])=>{let c=`${t(o).toFixed(1)},${e(n).toFixed(1)}`,l=r===null?`M${c}`:s.steps?`H${t(o).toFixed(1)}V${e(n).toFixed(1)}`:`L${c}`;return r=n,l}).join("")}function as(s,t,e){let r=s.map(([o,,n])=>`${t(o).toFixed(1)},${e(n).toFixed(1)}`),i=s.map(([o,n])=>`${t(o).toFixed(1)},${e(n).toFixed(1)}`).reverse();return`M${[...r,...i].join("L")}Z`}function ls(s,t,e){let r=([i,o])=>`M${t(i)-4},${e(o)-4}l8,8m0,-8l-8,8`;return g`<path class="line" d=${s.points.map(r).join("")} stroke=${y(s.colour)}></path>`}function cs(s,t,e,r){let i=s.x===void 0?r.right:t(s.x),o=s.y===void 0?r.top:e(s.y),n=i>(r.left+r.right)/2?"end":"start",l=g`<text x=${i+(n==="end"?-6:6)} y=${s.y===void 0?o+11:o-7} text-anchor=${n}>${s.text}</text>`;return s.x!==void 0&&s.y!==void 0?g`<circle cx=${i} cy=${o} r="5" fill=${y(s.colour)}></circle>${l}`:s.x===void 0?g`<line class="mark" x1=${r.left} x2=${r.right} y1=${o} y2=${o}></line>${l}`:g`<line class="mark" x1=${i} x2=${i} y1=${r.top} y2=${r.bottom}></line>${l}`}ft.legend=s=>[...s.lines.map(({name:t,colour:e,dashed:r,dots:i})=>({name:t,colour:e,shape:i?"cross":r?"dashed":"line"})),...(s.areas??[]).map(({name:t,colour:e})=>({name:t,colour:e,shape:"shade"}))];ft.table=s=>({head:["curve",`from ${s.x.label}`,`${s.y.label} there`,"to","there","least","most"],rows:s.lines.filter(t=>t.points.length).map(({name:t,points:e})=>{let r=e.map(([,n])=>n),[i,o]=[e[0],e[e.length-1]];return[t,...[i[0],i[1],o[0],o[1],Math.min(...r),Math.max(...r)].map(M)]})});var ge="abcdefghijklmnop";function gt(s,t){let e=s.held.length,r=Math.min(t,520),i=Math.min(22,(r/2-55)/e),[o,n]=[i*e,i+18],[c,l]=[(r-o)/2-4,e>6?190:150],[a,h]=[t/2,l+n/2+8],d=u=>{let f=2*Math.PI*u/e-Math.PI/2;return[a+c*Math.cos(f),h+l*Math.sin(f)]};return{height:2*l+n+20,picture:g`
      <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0,0L8,4L0,8Z" fill="var(--text)"></path></marker></defs>
      ${s.sends.map((u,f)=>ds(u,f,e,{middle:a,centre:h,across:c,down:l}))}
      ${s.held.map((u,f)=>hs(u,f,d(f),i,o,e,s.sends[(f+e-1)%e]?.chunk))}
      <text x=${a} y=${h+4} text-anchor="middle" class="name">${s.text}</text>`}}function hs(s,t,[e,r],i,o,n,c){let l=e-o/2;return g`<g>
    <rect x=${l-3} y=${r-i/2-17} width=${o+6} height=${i+21} rx="4" fill="var(--back)" stroke="var(--edge)"></rect>
    <text x=${e} y=${r-i/2-4} text-anchor="middle">GPU ${t}</text>
    ${s.map((a,h)=>{let d=a===n;return g`<rect x=${l+h*i+.5} y=${r-i/2} width=${i-1} height=${i-1}
          fill=${y("blue")} fill-opacity=${d?1:.32*a/n} stroke=${h===c?y("orange"):y("blue")}
          stroke-width=${h===c?2.5:.6}></rect>
        <text class=${d?"on":""} x=${l+(h+.5)*i} y=${r+4} text-anchor="middle" font-size=${i<14?9:12}>${a}</text>`})}
  </g>`}function ds(s,t,e,{middle:r,centre:i,across:o,down:n}){let c=d=>{let u=2*Math.PI*(t+d)/e-Math.PI/2;return[r+o*Math.cos(u),i+n*Math.sin(u)]},[l,a,h]=[c(.3),c(.5),c(.7)];return g`<path d=${`M${l}Q${a} ${h}`} class=${s.adds?"":"dashed"} fill="none" stroke="var(--text)" stroke-width="1.5" marker-end="url(#tip)"></path>
    <circle cx=${a[0]} cy=${a[1]} r="9" fill=${y("orange")}></circle>
    <text class="on" x=${a[0]} y=${a[1]+4} text-anchor="middle">${ge[s.chunk]}</text>`}gt.legend=()=>[{name:"contributions summed so far",colour:"blue",shape:"area"},{name:"chunk on its way",colour:"orange",shape:"dot"}];gt.table=s=>({head:["GPU",...s.held.map((t,e)=>`chunk ${ge[e]}`)],rows:s.held.map((t,e)=>[`GPU ${e}`,...t.map(String)])});var $e=320;function $t(s,t,e){let r={left:58,right:t-14,top:26,bottom:$e-44},i=T(s.x,r.left,r.right),o=T(s.y,r.bottom,r.top),n=s.points.map((a,h)=>h).sort((a,h)=>s.points[a].x-s.points[h].x),c=s.picked??n[0],l=a=>{let h={ArrowRight:1,ArrowDown:1,ArrowLeft:-1,ArrowUp:-1}[a.key],d=a.key==="Home"?0:a.key==="End"?n.length-1:h&&n.indexOf(c)+h;d===void 0||n[d]===void 0||a.ctrlKey||a.altKey||a.metaKey||(a.preventDefault(),a.currentTarget.querySelector(`[data-place="${n[d]}"]`).focus(),e(n[d]))};return{height:$e,interactive:!!e,picture:g`
      ${q(s.x,i,r)} ${pt(s.y,o,r)}
      ${(s.marks??[]).map(a=>ps(a,i,o,r))}
      ${s.front?g`<path class="line" stroke=${y("grey")} d=${`M${s.front.map(([a,h])=>`${i(a)},${o(h)}`).join("L")}`}></path>`:""}
      <g role=${e?"listbox":"none"} aria-label=${s.title} @keydown=${e?l:null}>
        ${s.points.map((a,h)=>g`<circle cx=${i(a.x)} cy=${o(a.y)} r=${h===s.picked?7:5} data-place=${h}
            class=${e?"pickable":""} fill=${y(a.colour)} stroke="var(--text)" stroke-width=${h===s.picked?2.5:0}
            role=${e?"option":"none"} aria-selected=${h===s.picked} aria-label=${a.text} tabindex=${e&&h===c?0:-1}
            @click=${e?()=>e(h):null}><title>${a.text}</title></circle>`)}
      </g>`}}function ps(s,t,e,r){if(s.x!==void 0){let o=t(s.x);return g`<line class="mark" x1=${o} x2=${o} y1=${r.top} y2=${r.bottom}></line>
      <text x=${o-5} y=${r.top+11} text-anchor="end">${s.text}</text>`}let i=e(s.y);return g`<line class="mark" x1=${r.left} x2=${r.right} y1=${i} y2=${i}></line>
    <text x=${r.right} y=${i-5} text-anchor="end">${s.text}</text>`}$t.legend=s=>{let e=[...new Map(s.points.filter(r=>r.name).map(r=>[r.name,r.colour]))].map(([r,i])=>({name:r,colour:i,shape:"dot"}));return s.frontName?[...e,{name:s.frontName,colour:"grey",shape:"line"}]:e};$t.table=s=>({head:["point",s.x.label,s.y.label],rows:s.points.map(t=>[t.text,t.x,t.y].map(String))});var ms={bars:mt,gantt:ut,lines:ft,ring:gt,scatter:$t};function xe(s,t,e,r){let i=ms[s],{height:o,picture:n,interactive:c}=i(t,e,r),{head:l,rows:a}=i.table(t);return m`<div class="drawing">
    <ul class="legend">
      ${i.legend(t).map(({name:h,colour:d,shape:u})=>m`<li>${us(u,d)}${h}</li>`)}
    </ul>
    <svg
      role=${c?"group":"img"}
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
              ${l.map(h=>m`<th scope="col">${h}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${a.map(([h,...d])=>m`<tr>
                  <th scope="row">${h}</th>
                  ${d.map(u=>m`<td>${u}</td>`)}
                </tr>`)}
          </tbody>
        </table>
      </div>
    </details>
  </div>`}function us(s,t){let e={line:g`<path d="M0,6H20" stroke=${y(t)} stroke-width="2.5"></path>`,dashed:g`<path d="M0,6H20" stroke=${y(t)} stroke-width="2.5" stroke-dasharray="6 4"></path>`,cross:g`<path d="M6,2l8,8m0,-8l-8,8" stroke=${y(t)} stroke-width="2.5"></path>`,area:g`<rect width="14" height="12" x="3" rx="2" fill=${y(t)}></rect>`,shade:g`<rect width="14" height="12" x="3" rx="2" fill=${y(t)} fill-opacity="0.3"></rect>`,dot:g`<circle cx="10" cy="6" r="5" fill=${y(t)}></circle>`};return g`<svg width="20" height="12" aria-hidden="true">${e[s]}</svg>`}var xt=class{value=640;#r;#s=new ResizeObserver(([t])=>{let e=Math.max(280,Math.round(t.contentRect.width));e!==this.value&&(this.value=e,this.#r.requestUpdate())});constructor(t){this.#r=t,t.addController(this)}hostConnected(){this.#s.observe(this.#r)}hostDisconnected(){this.#s.disconnect()}};var bt=R`
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
  .order { position: relative; margin: 0; }
  .order li { border: 1px solid var(--edge); border-radius: 5px; padding: 0.3rem 0.5rem; background: var(--field-back); }
  .order li + li { margin-top: 0.3rem; }
  ol + .quiet { margin-top: 0.5rem; }
  .order[data-dragged] { cursor: grabbing; user-select: none; }
  .order[data-dragged] li:focus { border-color: var(--accent); background: color-mix(in srgb, var(--accent) 13%, var(--field-back)); }
  .grip { color: var(--quiet); cursor: grab; touch-action: none; }
  .order button { min-height: 1.8rem; padding: 0 0.5rem; border-color: var(--edge); }
  .order li, .pair { display: flex; align-items: center; gap: 0.5rem; }
  .pair { padding: 0.2rem 0; }
  .known li { display: flex; gap: 0.5rem; }
  .item { flex: 1; }

  .estimate { margin-top: 0.6rem; }
  .estimate summary { width: max-content; color: var(--accent); cursor: pointer; }
  .estimate form { margin: 0.5rem 0 0; }
  .row { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.3rem; }
  .unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }

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

  button:not([aria-disabled="true"]):hover { background: color-mix(in srgb, var(--text) 8%, transparent); }
  button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600; }
  button.primary:hover { filter: brightness(1.08); }
  button.plain { padding: 0 0.5rem; border-color: transparent; color: var(--accent); }
  button.plain[aria-disabled="true"] { color: var(--quiet); }
  .buttons:has(.plain) { gap: 0.25rem; margin-top: 0.6rem; margin-left: -0.5rem; }
  .buttons .plain + .primary { margin-left: 0.6rem; }
  button[aria-disabled="true"] { color: var(--quiet); cursor: default; }

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
`;var fs=6e3,gs=700,be=()=>matchMedia("(prefers-reduced-motion: reduce)").matches,yt=class extends E{static styles=[bt,he,R`
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
    `];static properties={host:{attribute:!1},given:{attribute:!1},settings:{state:!0},shown:{state:!0},frame:{state:!0},playing:{state:!0},guessed:{state:!0},judged:{state:!0},trouble:{state:!0},heard:{state:!0}};#r=new xt(this);#s=new Map;#o=!1;#n;#a;willUpdate(t){if(!t.has("given"))return;let e=this.host.draft.get(this.#t)??{};this.settings={...this.given.start,...e.settings},this.guessed=e.guessed??!1,this.judged="",this.trouble="",this.#m()}disconnectedCallback(){super.disconnectedCallback(),this.#p(),clearTimeout(this.#a)}get#t(){return`figure ${this.given.name}`}#e(){this.host.draft.set(this.#t,{settings:this.settings,guessed:this.guessed})}async#m(){if(this.#o)return;this.#o=!0;let t;do if(t=JSON.stringify(this.settings),!this.#s.has(t)){let e={do:"figure",name:this.given.name,settings:this.settings},r=await this.host.ask(e).catch(i=>({error:i.message}));r.error?this.trouble=r.error:this.#s.set(t,r.shown)}while(t!==JSON.stringify(this.settings));this.#o=!1,this.#s.has(t)&&this.#f(this.#s.get(t))}#f(t){let e=(t.frames?.length??1)-1,r=this.shown?.frames?.length;r===void 0?this.frame=t.starts_at??e:this.frame=this.frame===r-1?e:Math.min(this.frame,e),this.trouble="",this.shown=t,this.#c()}#c(){clearTimeout(this.#a),this.#a=setTimeout(()=>{this.playing||(this.heard=this.#u.map(([t,e])=>`${t}: ${e}`).join("; "))},gs)}get#u(){return this.shown?.frames?.[this.frame]?.facts??this.shown?.facts??[]}#h(t,e){this.settings={...this.settings,[t]:e},this.#e(),this.#m()}get#i(){if(this.shown?.frames)return{place:this.frame,count:this.shown.frames.length,go:i=>{this.frame=i,this.#c()}};let t=this.given.controls.find(({name:i})=>i===this.given.plays),{name:e,options:r}=t;return{place:r.indexOf(this.settings[e]),count:r.length,go:i=>this.#h(e,r[i])}}#l(t){let{place:e,count:r,go:i}=this.#i;i(Math.min(r-1,Math.max(0,e+t)))}#d=()=>{if(this.playing)return this.#p();let{place:t,count:e,go:r}=this.#i;if(be())return this.#l(t===e-1?-t:1);t===e-1&&r(0),this.playing=!0;let i=Math.min(900,Math.max(150,fs/e));this.#n=setInterval(()=>{this.#l(1),this.#i.place===this.#i.count-1&&this.#p()},i)};#p(){clearInterval(this.#n),this.playing=!1,this.shown&&this.#c()}#g(t){let e=t.target.closest("button, summary, a, input:not([type='range'])");t.key!==" "||e||!this.guessed||!this.shown||(t.preventDefault(),this.#d())}async#x(t){t.preventDefault();let e=new FormData(t.currentTarget).get("guess")??"",r={do:"figure",name:this.given.name,guess:e},i=await this.host.ask(r).catch(o=>({error:o.message}));i.error?this.trouble=i.error:this.#$(i.judged)}#$(t){this.judged=t,this.guessed=t===""||t.right!==null,this.#e()}render(){return m`<section aria-labelledby="title" @keydown=${this.#g}>
      <header><h3 id="title">${this.given.title}</h3></header>
      ${this.guessed?$:this.#b()}
      <div role="status" class="prose said" data-outcome=${this.judged?this.judged.right?"correct":"incorrect":""}>
        ${this.judged?m`<p>${this.judged.say}</p>`:$}
      </div>
      ${this.guessed?this.#y():$}
      <div role="alert">${this.trouble?v(this.trouble):$}</div>
    </section>`}#b(){let{ask:t,choices:e,unit:r}=this.given.predict;return m`<form novalidate @submit=${this.#x}>
      <p class="quiet">Guess first; then comes the picture.</p>
      ${e?m`<fieldset>
              <legend>${t}</legend>
              ${e.map(i=>m`<label class="option"><input type="radio" name="guess" value=${i} /><span></span><span>${i}</span></label>`)}
            </fieldset>`:m`<label for="guess">${t}</label>
              <div class="guess">
                <input type="text" id="guess" name="guess" inputmode="decimal" autocomplete="off" /><span>${r}</span>
              </div>`}
      <div class="buttons">
        <button class="primary">Check my guess</button>
        <button type="button" @click=${()=>this.#$("")}>Show the picture</button>
      </div>
    </form>`}#y(){let{shown:t}=this;if(!t)return m`<p class="quiet">Python is computing the picture.</p>`;let e=t.frames?.[this.frame]?.panels??[];return m`
      <div class="controls">${this.given.controls.map(r=>this.#v(r))}</div>
      ${this.#w()}
      ${t.panels.map((r,i)=>xe(r.drawing,{...r,...e[i]},this.#r.value))}
      <dl class="facts">${this.#u.map(([r,i])=>m`<div><dt>${r}</dt><dd>${i}</dd></div>`)}</dl>
      <p class="heard" role="status">${this.heard}</p>
    `}#v({name:t,label:e,options:r,as:i}){let o=this.settings[t];return i==="choice"?m`<fieldset class="control wide">
        <legend class="quiet">${e}</legend>
        <div class="choices">
          ${r.map(n=>m`<label>
              <input type="radio" name=${t} .checked=${n===o} @change=${()=>this.#h(t,n)} />${n}
            </label>`)}
        </div>
      </fieldset>`:m`<div class="control">
      <label for=${t}><span class="quiet">${e}</span><output>${o}</output></label>
      <input
        type="range"
        id=${t}
        max=${r.length-1}
        aria-valuetext=${o}
        .value=${String(r.indexOf(o))}
        @input=${n=>this.#h(t,r[Number(n.target.value)])}
      />
    </div>`}#w(){let{place:t,count:e,go:r}=this.#i,i=(o,n,c)=>m`<button type="button" aria-disabled=${c?"true":"false"} @click=${()=>c||n()}>${o}</button>`;return m`<div class="play" role="group" aria-label="Step by step">
      ${i("Back",()=>this.#l(-1),t===0)}
      ${be()?$:i(this.playing?"Pause":"Play",this.#d,!1)}
      ${i("Step",()=>this.#l(1),t===e-1)}
      ${this.shown.frames?m`<input type="range" aria-label="moment" aria-valuetext="${t+1} of ${e}" max=${e-1} .value=${String(t)}
              @input=${o=>r(Number(o.target.value))} />`:$}
    </div>`}};var{I:$s}=ae,ye=s=>s;var we=s=>s.strings===void 0,ve=()=>document.createComment(""),V=(s,t,e)=>{let r=s._$AA.parentNode,i=t===void 0?s._$AB:t._$AA;if(e===void 0){let o=r.insertBefore(ve(),i),n=r.insertBefore(ve(),i);e=new $s(o,n,s,s.options)}else{let o=e._$AB.nextSibling,n=e._$AM,c=n!==s;if(c){let l;e._$AQ?.(s),e._$AM=s,e._$AP!==void 0&&(l=s._$AU)!==n._$AU&&e._$AP(l)}if(o!==i||c){let l=e._$AA;for(;l!==o;){let a=ye(l).nextSibling;ye(r).insertBefore(l,i),l=a}}}return e},N=(s,t,e=s)=>(s._$AI(t,e),s),xs={},F=(s,t=xs)=>s._$AH=t,_e=s=>s._$AH,vt=s=>{s._$AR(),s._$AA.remove()};var It=O(class extends S{constructor(){super(...arguments),this.key=$}render(s,t){return this.key=s,t}update(s,[t,e]){return t!==this.key&&(F(s),this.key=t),e}});var Ae={template(s){let{field:t,id:e}=s;if(!t.how)return m`<fieldset>
        <legend class="label">${t.label}</legend>
        <div class="arguments">${tt(t.fields,s)}</div>
      </fieldset>`;let r=`${e}-how`;return m`<fieldset class="part">
      <legend class="label">${t.label}</legend>
      ${t.html?m`<div class="prose">${v(t.html)}</div>`:$}
      <p id=${r} class="quiet">${t.how}</p>
      ${tt(t.fields,{...s,how:r})}
    </fieldset>`},answer:(s,t)=>wt(s.fields,t)};var A=O(class extends S{constructor(s){if(super(s),s.type!==k.PROPERTY&&s.type!==k.ATTRIBUTE&&s.type!==k.BOOLEAN_ATTRIBUTE)throw Error("The `live` directive is not allowed on child or event bindings");if(!we(s))throw Error("`live` bindings can only contain a single expression")}render(s){return s}update(s,[t]){if(t===_||t===$)return t;let e=s.element,r=s.name;if(s.type===k.PROPERTY){if(t===e[r])return _}else if(s.type===k.BOOLEAN_ATTRIBUTE){if(!!t===e.hasAttribute(r))return _}else if(s.type===k.ATTRIBUTE&&e.getAttribute(r)===t+"")return _;return F(s),t}});function ke(s,t){let e=t.draft?.[s.mends]??0,r=t.fields.find(i=>i.name===s.mends);return{number:e,text:e?r.lines[e-1].trim():""}}var Ee={template({field:s,id:t,how:e,draft:r,set:i,beside:o}){let n=s.mends&&ke(s,o),c=n?r?.[n.number]??n.text:r??"",l=h=>i(n?{...r,[n.number]:h}:h),a=s.note&&m`<p id="${t}-note" class="quiet">${s.note}</p>`;return m`<div class="field">
      <label class="label" for=${t}>${s.label}</label>
      <input
        type="text" id=${t} class=${s.is_code?"code":"quantity"}
        autocomplete="off" autocapitalize="off" spellcheck="false"
        aria-describedby=${a?`${t}-note`:e}
        .value=${A(c)} @input=${h=>l(h.target.value)} />
      ${a||$}
    </div>`},answer(s,t,e){if(!s.mends)return t??"";let{number:r,text:i}=ke(s,e),o=t?.[r]??i;return o.trim()===i?"":o}};var Se={template({field:s,id:t,draft:e,set:r}){let i=s.lines.length,o=n=>{let c={ArrowDown:Math.min(i,(e??0)+1),ArrowUp:Math.max(1,(e??i+1)-1),Home:1,End:i}[n.key];c===void 0||n.ctrlKey||n.altKey||n.metaKey||(n.preventDefault(),r(c))};return m`<div class="field">
      <div id="${t}-label" class="label">${s.label}</div>
      <div
        role="listbox" tabindex="0" class="listing" aria-labelledby="${t}-label"
        aria-activedescendant=${e?`${t}-line-${e}`:$} @keydown=${o}>
        ${s.lines.map((n,c)=>m`<div
            role="option" id="${t}-line-${c+1}" class="line"
            aria-selected=${c+1===e?"true":"false"} @click=${()=>r(c+1)}>
            <span class="number">${c+1}</span><code>${n}</code>
          </div>`)}
      </div>
    </div>`},answer:(s,t)=>t??null};var Me={template:({field:s,id:t,draft:e,set:r})=>m`<div class="field">
    <label for=${t}><code>${s.label}</code></label>
    <input
      type="text" id=${t} inputmode=${s.is_whole?"numeric":"decimal"}
      autocomplete="off" spellcheck="false" aria-describedby="${t}-range"
      .value=${A(e??"")} @input=${i=>r(i.target.value)} />
    <span id="${t}-range" class="quiet">${s.range}</span>
  </div>`,answer(s,t){let e=(t??"").trim();return e===""?null:Number.isFinite(Number(e))?Number(e):e}};var Te={template({field:s,id:t,how:e,draft:r,set:i}){let o=s.pick==="one",n=r??[],c=(l,a)=>{let h=o?[]:n.filter(d=>d!==l);return s.options.map(d=>d.label).filter(d=>h.includes(d)||a&&d===l)};return m`<fieldset aria-labelledby=${e}>
      ${s.options.map(l=>m`<label class="option">
          <input
            type=${o?"radio":"checkbox"} name=${t} value=${l.label}
            .checked=${A(n.includes(l.label))}
            @change=${a=>i(c(l.label,a.target.checked))} />
          <span class="letter">${l.label})</span>
          <span>${v(l.html)}</span>
        </label>`)}
    </fieldset>`},answer:(s,t)=>t??[]};var Ce=(s,t,e)=>{let r=new Map;for(let i=t;i<=e;i++)r.set(s[i],i);return r},Pe=O(class extends S{constructor(s){if(super(s),s.type!==k.CHILD)throw Error("repeat() can only be used in text expressions")}dt(s,t,e){let r;e===void 0?e=t:t!==void 0&&(r=t);let i=[],o=[],n=0;for(let c of s)i[n]=r?r(c,n):n,o[n]=e(c,n),n++;return{values:o,keys:i}}render(s,t,e){return this.dt(s,t,e).values}update(s,[t,e,r]){let i=_e(s),{values:o,keys:n}=this.dt(t,e,r);if(!Array.isArray(i))return this.ut=n,o;let c=this.ut??=[],l=[],a,h,d=0,u=i.length-1,f=0,p=o.length-1;for(;d<=u&&f<=p;)if(i[d]===null)d++;else if(i[u]===null)u--;else if(c[d]===n[f])l[f]=N(i[d],o[f]),d++,f++;else if(c[u]===n[p])l[p]=N(i[u],o[p]),u--,p--;else if(c[d]===n[p])l[p]=N(i[d],o[p]),V(s,l[p+1],i[d]),d++,p--;else if(c[u]===n[f])l[f]=N(i[u],o[f]),V(s,i[d],i[u]),u--,f++;else if(a===void 0&&(a=Ce(n,f,p),h=Ce(c,d,u)),a.has(c[d]))if(a.has(c[u])){let x=h.get(n[f]),b=x!==void 0?i[x]:null;if(b===null){let w=V(s,i[d]);N(w,o[f]),l[f]=w}else l[f]=N(b,o[f]),V(s,i[d],b),i[x]=null;f++}else vt(i[u]),u--;else vt(i[d]),d++;for(;f<=p;){let x=V(s,l[p+1]);N(x,o[f]),l[f++]=x}for(;d<=u;){let x=i[d++];x!==null&&vt(x)}return this.ut=n,F(s,l),_}});function bs(s,t){let e=s.items.map(i=>i.label);return Array.isArray(t)&&t.length===e.length&&e.every(i=>t.includes(i))?t:e}var et=(s,t)=>s.querySelector(`[data-label="${t}"]`),Oe={template({field:s,id:t,how:e,draft:r,set:i,settled:o}){let n=bs(s,r),c=new Map(s.items.map(p=>[p.label,p])),l=(p,x,b)=>{if(b<0||b>=n.length||n[b]===x)return;let w=n.filter(U=>U!==x);i(w.toSpliced(b,0,x)),p.parentElement.querySelector("[aria-live]").textContent=`${x} is now ${b+1} of ${n.length}.`},a=(p,x,b)=>{let{currentTarget:w}=p;l(w.closest("ol"),x,n.indexOf(x)+b),o().then(()=>w.focus())},h=p=>{let x=p.target.dataset?.label,b=n.indexOf(x),w={ArrowUp:b-1,ArrowDown:b+1,Home:0,End:n.length-1}[p.key];if(b<0||w===void 0||p.ctrlKey||p.metaKey)return;p.preventDefault();let U=p.currentTarget;p.altKey?(l(U,x,w),o().then(()=>et(U,x).focus())):et(U,n[w]??x).focus()},d=p=>{let x=p.target.closest("li")?.dataset.label,b=p.pointerType==="mouse"||p.target.closest(".grip");if(!x||!b||p.button!==0||p.target.closest("button"))return;p.preventDefault();let w=p.currentTarget;w.setPointerCapture(p.pointerId),w.dataset.dragged=x,et(w,x).focus()},u=p=>{let x=p.currentTarget,b=x.dataset.dragged;if(!b)return;let U=n.map(st=>{let{top:kt,height:Le}=et(x,st).getBoundingClientRect();return{other:st,middle:kt+Le/2}}).filter(({other:st,middle:kt})=>st!==b&&kt<p.clientY).length;l(x,b,U),o().then(()=>et(x,b).focus())},f=p=>{delete p.currentTarget.dataset.dragged};return m`<div class="field">
      <ol
        class="order" aria-labelledby=${e} aria-describedby="${t}-keys"
        @keydown=${h} @pointerdown=${d} @pointermove=${u}
        @pointerup=${f} @pointercancel=${f}>
        ${Pe(n,p=>p,(p,x)=>m`<li data-label=${p} tabindex=${x===0?"0":"-1"}>
            <span class="grip" aria-hidden="true">⠿</span>
            <span class="letter">${p})</span>
            <span class="item">${v(c.get(p).html)}</span>
            <button
              type="button" tabindex="-1" aria-label="Move ${p} up"
              @click=${b=>a(b,p,-1)}>↑</button>
            <button
              type="button" tabindex="-1" aria-label="Move ${p} down"
              @click=${b=>a(b,p,1)}>↓</button>
          </li>`)}
      </ol>
      <p id="${t}-keys" class="quiet">Drag an item, or go to it with ↑ and ↓ and move it with Alt+↑ and Alt+↓.</p>
      <p class="unseen" aria-live="polite"></p>
    </div>`},answer:(s,t)=>t??null};var qe={template({field:s,id:t,draft:e,set:r}){let i=o=>m`<div class="pair">
      <span class="letter">${o.label}.</span>
      <span class="item">${v(o.html)}</span>
      <select
        id="${t}-${o.label}" aria-label="${o.label} belongs to"
        .value=${A(e?.[o.label]??"")}
        @change=${n=>r({...e,[o.label]:n.target.value})}>
        <option value="">–</option>
        ${s.options.map(({label:n})=>m`<option value=${n} ?selected=${n===e?.[o.label]}>${n}</option>`)}
      </select>
    </div>`;return m`<div>${s.items.map(i)}</div>
      <ul class="known">
        ${s.options.map(o=>m`<li>
            <span class="letter">${o.label})</span><span class="item">${v(o.html)}</span>
          </li>`)}
      </ul>`},answer:(s,t)=>Object.fromEntries(Object.entries(t??{}).filter(([,e])=>e))};var Ne={template:({field:s,id:t,how:e,draft:r,set:i})=>m`<div class="field">
    <label class="label" for=${t}>${s.label}</label>
    <textarea
      id=${t} class="code" rows=${Math.max(8,s.source.split(`
`).length+3)}
      spellcheck="false" autocapitalize="off" aria-describedby=${e}
      .value=${A(r??s.source)} @input=${o=>i(o.target.value)}></textarea>
  </div>`,answer:(s,t)=>t==null||t===s.source?null:t};var Ue={template:({field:s,id:t,how:e,draft:r,set:i})=>m`<div class="field">
    <label class="label" for=${t}>${s.label}</label>
    <select id=${t} aria-describedby=${e} .value=${A(r??"")} @change=${o=>i(o.target.value)}>
      <option value="">–</option>
      ${s.values.map(o=>m`<option value=${o} ?selected=${o===r}>${o}</option>`)}
    </select>
  </div>`,answer:(s,t)=>t??""};var Re={group:Ae,line:Ee,listing:Se,number:Me,options:Te,order:Oe,pairs:qe,program:Ne,select:Ue},Lt=s=>s.length===1&&!s[0].name,He=(s,t,e)=>Lt(s)?e:e?.[t.name];function tt(s,t){return s.map(e=>{let r=Lt(s)?t.path:[...t.path,e.name];return Re[e.type].template({...t,field:e,path:r,id:`${t.id}-${e.name??"0"}`,draft:He(s,e,t.draft),set:i=>t.change(r,i),beside:{fields:s,draft:t.draft}})})}function wt(s,t){let e=s.map(r=>Re[r.type].answer(r,He(s,r,t),{fields:s,draft:t}));return Lt(s)?e[0]:Object.fromEntries(s.map((r,i)=>[r.name,e[i]]).filter(([,r])=>r!==null))}function jt(s,[t,...e],r){return t===void 0?r:{...s,[t]:jt(s?.[t],e,r)}}var ys=".prose, .prose pre",_t=class{constructor(t){this.host=t,this.sizes=new ResizeObserver(()=>this.hostUpdated()),t.addController(this)}hostConnected(){this.sizes.observe(this.host)}hostDisconnected(){this.sizes.disconnect()}hostUpdated(){for(let t of this.host.renderRoot.querySelectorAll(ys))t.scrollWidth>t.clientWidth+1?t.tabIndex=0:t.removeAttribute("tabindex")}};var vs=1e3,ws="Still waiting for Python. It may be busy with another cell; if the kernel was restarted, run this cell again.";function Dt(s){return Object.assign(document.createElement("p"),{textContent:s}).outerHTML}var Ie=s=>t=>{let{type:e,key:r,target:i,isComposing:o}=t;e==="keydown"&&(r!=="Enter"||i.tagName!=="INPUT"||o)||(t.preventDefault(),s(t.currentTarget))},At=class extends E{static styles=bt;static properties={host:{attribute:!1},given:{attribute:!1},question:{state:!0},draft:{state:!0},said:{state:!0},hints:{state:!0},solution:{state:!0},trail:{state:!0},estimate:{state:!0},isOver:{state:!0}};reach=new _t(this);#r=0;willUpdate(t){t.has("given")&&(this.trail=[],this.#o(this.given.question),this.#s())}async#s(){let{id:t,seed:e}=this.given.question,r=this.host.draft.get(`variants ${t} ${e}`)??[];if(!r.length)return;let i=await this.#e({do:"question",seed:r.at(-1)});i.question&&(this.trail=[e,...r.slice(0,-1)].map(o=>({problem:t,seed:o})),this.#o(i.question))}#o(t){this.question=t,this.draft=this.host.draft.get(this.#n)??null,this.estimate=this.host.draft.get(this.#a)??null,this.isOver=!1,this.hints=[],this.solution="",this.#t()}get#n(){return`answer ${this.question.id} ${this.question.seed}`}get#a(){return`estimate ${this.question.id} ${this.question.seed}`}#t(t="",e=""){this.#r+=1,this.said={outcome:t,html:e}}async#e(t){let e=this.question,r=setTimeout(()=>this.#t("blank",Dt(ws)),vs),i=await this.host.ask({problem:e.id,seed:e.seed,...t}).catch(o=>({error:Dt(o.message)})).finally(()=>clearTimeout(r));return this.question!==e?{}:(i.error&&this.#t("broken",i.error),i)}#m=(t,e)=>{this.draft=jt(this.draft,t,e),this.host.draft.set(this.#n,this.draft)};async#f(){let t=wt(this.question.form.fields,this.draft),{verdict:e}=await this.#e({do:"check",answer:t,estimate:this.estimate?.typed});e&&this.#t(e.outcome,e.html+(e.more??""))}async#c(t){let{estimate:e,unreadable:r}=await this.#e({do:"estimate",answer:t});r&&this.#t("unreadable",r),e&&(this.#t(),this.estimate={typed:t,html:e},this.host.draft.set(this.#a,this.estimate))}async#u(){let{hints:t}=await this.#e({do:"hint",shown:this.hints.length});t&&(this.hints=t)}async#h(){let{solution:t}=await this.#e({do:"solution"});t&&(this.solution=t)}async#i(t,e){let r={problem:this.question.id,seed:this.question.seed},{question:i,end:o}=await this.#e(t);o&&(this.isOver=!0,this.#t("blank",o)),i&&this.#d([...this.trail,r],i,e)}async#l(){let{question:t}=await this.#e({do:"question",...this.trail.at(-1)});t&&this.#d(this.trail.slice(0,-1),t,"This is the one before, with your answer.")}#d(t,e,r){let i=e.id!==this.question.id;this.trail=t,this.#o(e),this.#t("new",Dt(r));let{id:o,seed:n}=this.given.question;if(e.id===o){let c=[...t.filter(l=>l.problem===o).map(l=>l.seed),e.seed];this.host.draft.set(`variants ${o} ${n}`,c.slice(1))}this.updateComplete.then(()=>{let c=this.renderRoot.querySelector("h3");c.scrollIntoView({block:"nearest"}),i&&c.focus()})}render(){let{question:t}=this,e=Ie(()=>this.#f());return m`
      <section aria-labelledby="title">
        <header>
          <h3 id="title" tabindex="-1">${t.title}</h3>
          <span class="quiet">${t.points}</span>
        </header>
        <div class="prose">${v(t.prompt)}</div>
        ${t.estimated_first?this.#p():$}
        <form novalidate @submit=${e} @keydown=${e}>
          ${t.form.html?m`<div class="prose">${v(t.form.html)}</div>`:$}
          <p id="how" class="quiet">${t.form.how}</p>
          ${It(this.#n,m`<div class="fields">
              ${tt(t.form.fields,{id:"answer",how:"how",path:[],draft:this.draft,change:this.#m,ask:r=>this.host.ask({problem:t.id,seed:t.seed,...r}),settled:()=>this.updateComplete})}
            </div>`)}
          <div class="buttons"><button class="primary">Check</button></div>
        </form>
        <div role="status" class="prose said" data-outcome=${this.said.outcome}>
          ${It(this.#r,m`<div>${v(this.said.html)}</div>`)}
        </div>
        ${this.#g()}
        <div aria-live="polite">
          ${this.hints.map(r=>m`<div class="prose more">${v(r)}</div>`)}
        </div>
        <div aria-live="polite">
          ${this.solution?m`<div class="prose more">${v(this.solution)}</div>`:$}
        </div>
      </section>
    `}#p(){if(this.estimate)return m`<div class="estimate quiet">Your estimate: ${v(this.estimate.html)}</div>`;let t=Ie(e=>this.#c(e.elements.estimate.value));return m`<details class="estimate">
      <summary>Estimate first</summary>
      <form novalidate @submit=${t} @keydown=${t}>
        <label for="estimate">Before you compute: about how much is it?</label>
        <div class="row">
          <input type="text" id="estimate" class="quantity" autocomplete="off" spellcheck="false" />
          <button>Commit</button>
        </div>
      </form>
    </details>`}#g(){let t=this.question.hints-this.hints.length,e=this.said.outcome==="correct",r=(i,o,{off:n=!1,primary:c=!1}={})=>m`<button
        type="button" class=${c?"primary":"plain"} aria-disabled=${n?"true":"false"}
        @click=${()=>n||o()}>${i}</button>`;return m`
      <div class="buttons" role="group" aria-label="Go on">
        ${r(t>0?`Hint (${t} left)`:"No more hints",()=>this.#u(),{off:t<=0})}
        ${r("Solution",()=>this.#h(),{off:this.solution!==""})}
        ${r("Another",()=>this.#i({do:"another"},"The same with new numbers."))}
        ${this.trail.length?r("Back",()=>this.#l()):$}
        ${r("Next",()=>this.#i({do:"next"},"The next problem of this chapter."),{off:this.isOver,primary:e&&!this.isOver})}
      </div>
    `}};var _s={figure:yt,problem:At},Bt=s=>`shardwise-${s}-59ce2c92966f`;for(let[s,t]of Object.entries(_s))customElements.get(Bt(s))||customElements.define(Bt(s),t);function zt(s,t,e){return Object.assign(document.createElement(Bt(s)),{className:"shardwise",host:t,given:e})}var As="Python cannot be reached. If the kernel was restarted or has stopped, run this cell again.",ks=300;function Es({model:s,el:t}){let e=Ss(s),r=Ms(s),i=Os(t),o=zt(s.get("what"),{ask:e.ask,draft:r},s.get("given"));Ps(o,()=>s.widget_manager?.context?.save()),t.append(o);for(let n of document.querySelectorAll(`.shardwise-waits[data-token="${s.get("token")}"]`))n.hidden=!0;return()=>{r.flush(),e.close(),i.disconnect()}}function Ss(s){let t=new Map,e=crypto.randomUUID(),r=0,i=null,o=h=>{t.get(h?.id)?.resolve(h.reply),t.delete(h?.id)},n=()=>{for(let{reject:h}of t.values())h(new Error(As));t.clear(),i=null},c=async()=>{let h=s.widget_manager?.kernel;if(await h?.info,!h?.supportsSubshells)return s;let d=h.createComm("shardwise");return await d.subshellStarted,d.onMsg=u=>o(u.content.data),d.onClose=n,d.open({form:s.get("token")}),d};return s.on("msg:custom",o),{ask:h=>new Promise((d,u)=>{r+=1;let f=`${e}-${r}`;t.set(f,{resolve:d,reject:u}),i??=c(),i.then(p=>p.send({id:f,request:h})).catch(n)}),close:async()=>{s.off("msg:custom",o);let h=await i;!h||h===s||(h.onClose=()=>{},h.isDisposed||h.close())}}}function Ms(s){let t=s.widget_manager?.context?.model,e=t?.setMetadata&&t.getMetadata?Ts(t):Cs(s),r={},i,o=()=>{clearTimeout(i),Object.keys(r).length&&e.write({...e.read(),...r}),r={}};return{get:n=>r[n]??e.read()[n],set(n,c){r[n]=c,clearTimeout(i),i=setTimeout(o,ks)},flush:o}}function Ts(s){let t=()=>s.getMetadata("shardwise")??{};return{read:()=>t().drafts??{},write:e=>s.setMetadata("shardwise",{...t(),drafts:e})}}function Cs(s){return{read:()=>s.get("drafts")??{},write(t){s.set("drafts",t),s.save_changes()}}}function Ps(s,t){s.dataset.lmSuppressShortcuts="true",s.addEventListener("keydown",e=>{e.stopPropagation(),(e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="s"&&(e.preventDefault(),t())})}function Os(s){let t=()=>{let{jpThemeLight:r,vscodeThemeKind:i}=document.body.dataset,o=r==="false"||i?.includes("dark")||document.documentElement.getAttribute("theme")==="dark";s.style.colorScheme=o?"dark":"light"};t();let e=new MutationObserver(t);return e.observe(document.body,{attributes:!0}),e.observe(document.documentElement,{attributes:!0}),e}export{Es as inJupyter,zt as show};
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
