// Built from desk/ by "make desk"; not to be edited. Digest of the sources: 620449c8f1a1
var ct=globalThis,ht=ct.ShadowRoot&&(ct.ShadyCSS===void 0||ct.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,Nt=Symbol(),se=new WeakMap,Z=class{constructor(t,e,r){if(this._$cssResult$=!0,r!==Nt)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=t,this.t=e}get styleSheet(){let t=this.o,e=this.t;if(ht&&t===void 0){let r=e!==void 0&&e.length===1;r&&(t=se.get(e)),t===void 0&&((this.o=t=new CSSStyleSheet).replaceSync(this.cssText),r&&se.set(e,t))}return t}toString(){return this.cssText}},re=s=>new Z(typeof s=="string"?s:s+"",void 0,Nt),C=(s,...t)=>{let e=s.length===1?s[0]:t.reduce((r,i,o)=>r+(n=>{if(n._$cssResult$===!0)return n.cssText;if(typeof n=="number")return n;throw Error("Value passed to 'css' function must be a 'css' function result: "+n+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(i)+s[o+1],s[0]);return new Z(e,s,Nt)},ie=(s,t)=>{if(ht)s.adoptedStyleSheets=t.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let e of t){let r=document.createElement("style"),i=ct.litNonce;i!==void 0&&r.setAttribute("nonce",i),r.textContent=e.cssText,s.appendChild(r)}},Rt=ht?s=>s:s=>s instanceof CSSStyleSheet?(t=>{let e="";for(let r of t.cssRules)e+=r.cssText;return re(e)})(s):s;var{is:es,defineProperty:ss,getOwnPropertyDescriptor:rs,getOwnPropertyNames:is,getOwnPropertySymbols:os,getPrototypeOf:ns}=Object,dt=globalThis,oe=dt.trustedTypes,as=oe?oe.emptyScript:"",ls=dt.reactiveElementPolyfillSupport,Q=(s,t)=>s,It={toAttribute(s,t){switch(t){case Boolean:s=s?as:null;break;case Object:case Array:s=s==null?s:JSON.stringify(s)}return s},fromAttribute(s,t){let e=s;switch(t){case Boolean:e=s!==null;break;case Number:e=s===null?null:Number(s);break;case Object:case Array:try{e=JSON.parse(s)}catch{e=null}}return e}},ae=(s,t)=>!es(s,t),ne={attribute:!0,type:String,converter:It,reflect:!1,useDefault:!1,hasChanged:ae};Symbol.metadata??=Symbol("metadata"),dt.litPropertyMetadata??=new WeakMap;var O=class extends HTMLElement{static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(t,e=ne){if(e.state&&(e.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(t)&&((e=Object.create(e)).wrapped=!0),this.elementProperties.set(t,e),!e.noAccessor){let r=Symbol(),i=this.getPropertyDescriptor(t,r,e);i!==void 0&&ss(this.prototype,t,i)}}static getPropertyDescriptor(t,e,r){let{get:i,set:o}=rs(this.prototype,t)??{get(){return this[e]},set(n){this[e]=n}};return{get:i,set(n){let c=i?.call(this);o?.call(this,n),this.requestUpdate(t,c,r)},configurable:!0,enumerable:!0}}static getPropertyOptions(t){return this.elementProperties.get(t)??ne}static _$Ei(){if(this.hasOwnProperty(Q("elementProperties")))return;let t=ns(this);t.finalize(),t.l!==void 0&&(this.l=[...t.l]),this.elementProperties=new Map(t.elementProperties)}static finalize(){if(this.hasOwnProperty(Q("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(Q("properties"))){let e=this.properties,r=[...is(e),...os(e)];for(let i of r)this.createProperty(i,e[i])}let t=this[Symbol.metadata];if(t!==null){let e=litPropertyMetadata.get(t);if(e!==void 0)for(let[r,i]of e)this.elementProperties.set(r,i)}this._$Eh=new Map;for(let[e,r]of this.elementProperties){let i=this._$Eu(e,r);i!==void 0&&this._$Eh.set(i,e)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(t){let e=[];if(Array.isArray(t)){let r=new Set(t.flat(1/0).reverse());for(let i of r)e.unshift(Rt(i))}else t!==void 0&&e.push(Rt(t));return e}static _$Eu(t,e){let r=e.attribute;return r===!1?void 0:typeof r=="string"?r:typeof t=="string"?t.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(t=>this.enableUpdating=t),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(t=>t(this))}addController(t){(this._$EO??=new Set).add(t),this.renderRoot!==void 0&&this.isConnected&&t.hostConnected?.()}removeController(t){this._$EO?.delete(t)}_$E_(){let t=new Map,e=this.constructor.elementProperties;for(let r of e.keys())this.hasOwnProperty(r)&&(t.set(r,this[r]),delete this[r]);t.size>0&&(this._$Ep=t)}createRenderRoot(){let t=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return ie(t,this.constructor.elementStyles),t}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(t=>t.hostConnected?.())}enableUpdating(t){}disconnectedCallback(){this._$EO?.forEach(t=>t.hostDisconnected?.())}attributeChangedCallback(t,e,r){this._$AK(t,r)}_$ET(t,e){let r=this.constructor.elementProperties.get(t),i=this.constructor._$Eu(t,r);if(i!==void 0&&r.reflect===!0){let o=(r.converter?.toAttribute!==void 0?r.converter:It).toAttribute(e,r.type);this._$Em=t,o==null?this.removeAttribute(i):this.setAttribute(i,o),this._$Em=null}}_$AK(t,e){let r=this.constructor,i=r._$Eh.get(t);if(i!==void 0&&this._$Em!==i){let o=r.getPropertyOptions(i),n=typeof o.converter=="function"?{fromAttribute:o.converter}:o.converter?.fromAttribute!==void 0?o.converter:It;this._$Em=i;let c=n.fromAttribute(e,o.type);this[i]=c??this._$Ej?.get(i)??c,this._$Em=null}}requestUpdate(t,e,r,i=!1,o){if(t!==void 0){let n=this.constructor;if(i===!1&&(o=this[t]),r??=n.getPropertyOptions(t),!((r.hasChanged??ae)(o,e)||r.useDefault&&r.reflect&&o===this._$Ej?.get(t)&&!this.hasAttribute(n._$Eu(t,r))))return;this.C(t,e,r)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(t,e,{useDefault:r,reflect:i,wrapped:o},n){r&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,n??e??this[t]),o!==!0||n!==void 0)||(this._$AL.has(t)||(this.hasUpdated||r||(e=void 0),this._$AL.set(t,e)),i===!0&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.reject(e)}let t=this.scheduleUpdate();return t!=null&&await t,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[i,o]of this._$Ep)this[i]=o;this._$Ep=void 0}let r=this.constructor.elementProperties;if(r.size>0)for(let[i,o]of r){let{wrapped:n}=o,c=this[i];n!==!0||this._$AL.has(i)||c===void 0||this.C(i,void 0,o,c)}}let t=!1,e=this._$AL;try{t=this.shouldUpdate(e),t?(this.willUpdate(e),this._$EO?.forEach(r=>r.hostUpdate?.()),this.update(e)):this._$EM()}catch(r){throw t=!1,this._$EM(),r}t&&this._$AE(e)}willUpdate(t){}_$AE(t){this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),this.updated(t)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(t){return!0}update(t){this._$Eq&&=this._$Eq.forEach(e=>this._$ET(e,this[e])),this._$EM()}updated(t){}firstUpdated(t){}};O.elementStyles=[],O.shadowRootOptions={mode:"open"},O[Q("elementProperties")]=new Map,O[Q("finalized")]=new Map,ls?.({ReactiveElement:O}),(dt.reactiveElementVersions??=[]).push("2.1.2");var Lt=globalThis,le=s=>s,pt=Lt.trustedTypes,ce=pt?pt.createPolicy("lit-html",{createHTML:s=>s}):void 0,jt="$lit$",q=`lit$${Math.random().toFixed(9).slice(2)}$`,Dt="?"+q,cs=`<${Dt}>`,z=document,et=()=>z.createComment(""),st=s=>s===null||typeof s!="object"&&typeof s!="function",zt=Array.isArray,fe=s=>zt(s)||typeof s?.[Symbol.iterator]=="function",Ht=`[ 	
\f\r]`,tt=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,he=/-->/g,de=/>/g,j=RegExp(`>|${Ht}(?:([^\\s"'>=/]+)(${Ht}*=${Ht}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),pe=/'/g,ue=/"/g,ge=/^(?:script|style|textarea|title)$/i,Bt=s=>(t,...e)=>({_$litType$:s,strings:t,values:e}),h=Bt(1),g=Bt(2),ar=Bt(3),k=Symbol.for("lit-noChange"),f=Symbol.for("lit-nothing"),me=new WeakMap,D=z.createTreeWalker(z,129);function $e(s,t){if(!zt(s)||!s.hasOwnProperty("raw"))throw Error("invalid template strings array");return ce!==void 0?ce.createHTML(t):t}var be=(s,t)=>{let e=s.length-1,r=[],i,o=t===2?"<svg>":t===3?"<math>":"",n=tt;for(let c=0;c<e;c++){let a=s[c],l,p,d=-1,m=0;for(;m<a.length&&(n.lastIndex=m,p=n.exec(a),p!==null);)m=n.lastIndex,n===tt?p[1]==="!--"?n=he:p[1]!==void 0?n=de:p[2]!==void 0?(ge.test(p[2])&&(i=RegExp("</"+p[2],"g")),n=j):p[3]!==void 0&&(n=j):n===j?p[0]===">"?(n=i??tt,d=-1):p[1]===void 0?d=-2:(d=n.lastIndex-p[2].length,l=p[1],n=p[3]===void 0?j:p[3]==='"'?ue:pe):n===ue||n===pe?n=j:n===he||n===de?n=tt:(n=j,i=void 0);let $=n===j&&s[c+1].startsWith("/>")?" ":"";o+=n===tt?a+cs:d>=0?(r.push(l),a.slice(0,d)+jt+a.slice(d)+q+$):a+q+(d===-2?c:$)}return[$e(s,o+(s[e]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),r]},rt=class s{constructor({strings:t,_$litType$:e},r){let i;this.parts=[];let o=0,n=0,c=t.length-1,a=this.parts,[l,p]=be(t,e);if(this.el=s.createElement(l,r),D.currentNode=this.el.content,e===2||e===3){let d=this.el.content.firstChild;d.replaceWith(...d.childNodes)}for(;(i=D.nextNode())!==null&&a.length<c;){if(i.nodeType===1){if(i.hasAttributes())for(let d of i.getAttributeNames())if(d.endsWith(jt)){let m=p[n++],$=i.getAttribute(d).split(q),u=/([.?@])?(.*)/.exec(m);a.push({type:1,index:o,name:u[2],strings:$,ctor:u[1]==="."?mt:u[1]==="?"?ft:u[1]==="@"?gt:G}),i.removeAttribute(d)}else d.startsWith(q)&&(a.push({type:6,index:o}),i.removeAttribute(d));if(ge.test(i.tagName)){let d=i.textContent.split(q),m=d.length-1;if(m>0){i.textContent=pt?pt.emptyScript:"";for(let $=0;$<m;$++)i.append(d[$],et()),D.nextNode(),a.push({type:2,index:++o});i.append(d[m],et())}}}else if(i.nodeType===8)if(i.data===Dt)a.push({type:2,index:o});else{let d=-1;for(;(d=i.data.indexOf(q,d+1))!==-1;)a.push({type:7,index:o}),d+=q.length-1}o++}}static createElement(t,e){let r=z.createElement("template");return r.innerHTML=t,r}};function B(s,t,e=s,r){if(t===k)return t;let i=r!==void 0?e._$Co?.[r]:e._$Cl,o=st(t)?void 0:t._$litDirective$;return i?.constructor!==o&&(i?._$AO?.(!1),o===void 0?i=void 0:(i=new o(s),i._$AT(s,e,r)),r!==void 0?(e._$Co??=[])[r]=i:e._$Cl=i),i!==void 0&&(t=B(s,i._$AS(s,t.values),i,r)),t}var ut=class{constructor(t,e){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=e}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:e},parts:r}=this._$AD,i=(t?.creationScope??z).importNode(e,!0);D.currentNode=i;let o=D.nextNode(),n=0,c=0,a=r[0];for(;a!==void 0;){if(n===a.index){let l;a.type===2?l=new F(o,o.nextSibling,this,t):a.type===1?l=new a.ctor(o,a.name,a.strings,this,t):a.type===6&&(l=new $t(o,this,t)),this._$AV.push(l),a=r[++c]}n!==a?.index&&(o=D.nextNode(),n++)}return D.currentNode=z,i}p(t){let e=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(t,r,e),e+=r.strings.length-2):r._$AI(t[e])),e++}},F=class s{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,e,r,i){this.type=2,this._$AH=f,this._$AN=void 0,this._$AA=t,this._$AB=e,this._$AM=r,this.options=i,this._$Cv=i?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,e=this._$AM;return e!==void 0&&t?.nodeType===11&&(t=e.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,e=this){t=B(this,t,e),st(t)?t===f||t==null||t===""?(this._$AH!==f&&this._$AR(),this._$AH=f):t!==this._$AH&&t!==k&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):fe(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==f&&st(this._$AH)?this._$AA.nextSibling.data=t:this.T(z.createTextNode(t)),this._$AH=t}$(t){let{values:e,_$litType$:r}=t,i=typeof r=="number"?this._$AC(t):(r.el===void 0&&(r.el=rt.createElement($e(r.h,r.h[0]),this.options)),r);if(this._$AH?._$AD===i)this._$AH.p(e);else{let o=new ut(i,this),n=o.u(this.options);o.p(e),this.T(n),this._$AH=o}}_$AC(t){let e=me.get(t.strings);return e===void 0&&me.set(t.strings,e=new rt(t)),e}k(t){zt(this._$AH)||(this._$AH=[],this._$AR());let e=this._$AH,r,i=0;for(let o of t)i===e.length?e.push(r=new s(this.O(et()),this.O(et()),this,this.options)):r=e[i],r._$AI(o),i++;i<e.length&&(this._$AR(r&&r._$AB.nextSibling,i),e.length=i)}_$AR(t=this._$AA.nextSibling,e){for(this._$AP?.(!1,!0,e);t!==this._$AB;){let r=le(t).nextSibling;le(t).remove(),t=r}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},G=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,e,r,i,o){this.type=1,this._$AH=f,this._$AN=void 0,this.element=t,this.name=e,this._$AM=i,this.options=o,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=f}_$AI(t,e=this,r,i){let o=this.strings,n=!1;if(o===void 0)t=B(this,t,e,0),n=!st(t)||t!==this._$AH&&t!==k,n&&(this._$AH=t);else{let c=t,a,l;for(t=o[0],a=0;a<o.length-1;a++)l=B(this,c[r+a],e,a),l===k&&(l=this._$AH[a]),n||=!st(l)||l!==this._$AH[a],l===f?t=f:t!==f&&(t+=(l??"")+o[a+1]),this._$AH[a]=l}n&&!i&&this.j(t)}j(t){t===f?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},mt=class extends G{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===f?void 0:t}},ft=class extends G{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==f)}},gt=class extends G{constructor(t,e,r,i,o){super(t,e,r,i,o),this.type=5}_$AI(t,e=this){if((t=B(this,t,e,0)??f)===k)return;let r=this._$AH,i=t===f&&r!==f||t.capture!==r.capture||t.once!==r.once||t.passive!==r.passive,o=t!==f&&(r===f||i);i&&this.element.removeEventListener(this.name,this,r),o&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},$t=class{constructor(t,e,r){this.element=t,this.type=6,this._$AN=void 0,this._$AM=e,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(t){B(this,t)}},xe={M:jt,P:q,A:Dt,C:1,L:be,R:ut,D:fe,V:B,I:F,H:G,N:ft,U:gt,B:mt,F:$t},hs=Lt.litHtmlPolyfillSupport;hs?.(rt,F),(Lt.litHtmlVersions??=[]).push("3.3.3");var ye=(s,t,e)=>{let r=e?.renderBefore??t,i=r._$litPart$;if(i===void 0){let o=e?.renderBefore??null;r._$litPart$=i=new F(t.insertBefore(et(),o),o,void 0,e??{})}return i._$AI(s),i};var Gt=globalThis,A=class extends O{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let t=super.createRenderRoot();return this.renderOptions.renderBefore??=t.firstChild,t}update(t){let e=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(t),this._$Do=ye(e,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return k}};A._$litElement$=!0,A.finalized=!0,Gt.litElementHydrateSupport?.({LitElement:A});var ds=Gt.litElementPolyfillSupport;ds?.({LitElement:A});(Gt.litElementVersions??=[]).push("4.2.2");var S={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},U=s=>(...t)=>({_$litDirective$:s,values:t}),E=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,e,r){this._$Ct=t,this._$AM=e,this._$Ci=r}_$AS(t,e){return this.update(t,e)}update(t,e){return this.render(...e)}};var it=class extends E{constructor(t){if(super(t),this.it=f,t.type!==S.CHILD)throw Error(this.constructor.directiveName+"() can only be used in child bindings")}render(t){if(t===f||t==null)return this._t=void 0,this.it=t;if(t===k)return t;if(typeof t!="string")throw Error(this.constructor.directiveName+"() called with a non-string value");if(t===this.it)return this._t;this.it=t;let e=[t];return e.raw=e,this._t={_$litType$:this.constructor.resultType,strings:e,values:[]}}};it.directiveName="unsafeHTML",it.resultType=1;var v=U(it);var ps=Math.sqrt(50),us=Math.sqrt(10),ms=Math.sqrt(2);function Vt(s,t,e){let r=(t-s)/Math.max(0,e),i=Math.floor(Math.log10(r)),o=r/Math.pow(10,i),n=o>=ps?10:o>=us?5:o>=ms?2:1,c,a,l;return i<0?(l=Math.pow(10,-i)/n,c=Math.round(s*l),a=Math.round(t*l),c/l<s&&++c,a/l>t&&--a,l=-l):(l=Math.pow(10,i)*n,c=Math.round(s/l),a=Math.round(t/l),c*l<s&&++c,a*l>t&&--a),a<c&&.5<=e&&e<2?Vt(s,t,e*2):[c,a,l]}function ot(s,t,e){if(t=+t,s=+s,e=+e,!(e>0))return[];if(s===t)return[s];let r=t<s,[i,o,n]=r?Vt(t,s,e):Vt(s,t,e);if(!(o>=i))return[];let c=o-i+1,a=new Array(c);if(r)if(n<0)for(let l=0;l<c;++l)a[l]=(o-l)/-n;else for(let l=0;l<c;++l)a[l]=(o-l)*n;else if(n<0)for(let l=0;l<c;++l)a[l]=(i+l)/-n;else for(let l=0;l<c;++l)a[l]=(i+l)*n;return a}var fs=new Intl.NumberFormat("en",{maximumSignificantDigits:3}),T=s=>Math.abs(s)>=1e6||s&&Math.abs(s)<.001?s.toExponential(1):fs.format(s);function M(s,t,e){let r=s.log?Math.log:n=>n,i=r(s.low),o=r(s.high)-i||1;return n=>t+(r(n)-i)/o*(e-t)}function ve(s,t=5){if(s.ticks)return s.ticks.filter(([o])=>o>=s.low&&o<=s.high);if(!s.log)return ot(s.low,s.high,t).map(o=>[o,T(o)]);let e=Math.ceil(Math.log10(s.low)-1e-9),r=Math.floor(Math.log10(s.high)+1e-9);return ot(e,r,t).filter(Number.isInteger).map(o=>[10**o,T(10**o)])}function N(s,t,{left:e,right:r,top:i,bottom:o}){return g`<g class="axis">
    ${ve(s,r-e<420?4:7).map(([n,c])=>g`<line class="grid" x1=${t(n)} x2=${t(n)} y1=${i} y2=${o}></line>
        <text x=${t(n)} y=${o+15} text-anchor="middle">${c}</text>`)}
    <text class="name" x=${(e+r)/2} y=${o+33} text-anchor="middle">${s.label}</text>
  </g>`}function bt(s,t,{left:e,right:r,top:i}){return g`<g class="axis">
    ${ve(s).map(([o,n])=>g`<line class="grid" x1=${e} x2=${r} y1=${t(o)} y2=${t(o)}></line>
        <text x=${e-6} y=${t(o)+4} text-anchor="end">${n}</text>`)}
    <text class="name" x="2" y=${i-10}>${s.label}</text>
  </g>`}var xt=C`
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
`,y=s=>`var(--draw-${s??"blue"})`;var we=22,Ft=6.6;function yt(s,t){let e=Math.max(...s.rows.map(m=>m.name.length))*Ft+10,r=e>t*.28,i=we+(r?28:12),o=s.limit?22:6,n={left:r?2:e,right:t-12,top:o,bottom:o+s.rows.length*i},c=Math.max(...s.rows.map(m=>(m.text??"").length))*Ft+8,a=s.rows.map(ke),l=s.axis.high??Math.max(...a,s.limit?.at??0),p={...s.axis,low:0,high:l},d=M(p,n.left,n.right-c);return{height:n.bottom+42,picture:g`
      ${N(p,d,{...n,right:n.right-c})}
      ${s.rows.map((m,$)=>{let u=n.top+$*i+(r?20:6),b=d(Math.min(l,a[$]));return g`<g>
          ${r?g`<text x=${n.left} y=${u-5}>${m.name}</text>`:g`<text x=${n.left-8} y=${u+15} text-anchor="end">${m.name}</text>`}
          ${gs(m,d,u,s.kinds,l)}
          <text x=${b+5} y=${u+15}>${m.text}</text>
        </g>`})}
      ${s.limit?$s(s.limit,d(s.limit.at),n):""}`}}var ke=s=>s.parts.reduce((t,e)=>t+e.size,0);function gs(s,t,e,r,i){let o=0;return s.parts.map(n=>{let[c,a]=[t(Math.min(i,o)),t(Math.min(i,o+n.size))];o+=n.size;let l=n.text??"";return g`<rect x=${c} y=${e} width=${Math.max(0,a-c-.5)} height=${we} fill=${y(r[n.kind].colour)}></rect>
      ${l&&a-c>l.length*Ft+6?g`<text class="on" x=${(c+a)/2} y=${e+15} text-anchor="middle">${l}</text>`:""}`})}function $s({text:s},t,e){let r=t>(e.left+e.right)/2?"end":"start";return g`<line class="mark" x1=${t} x2=${t} y1="16" y2=${e.bottom}></line>
    <text x=${t} y="12" text-anchor=${r}>${s}</text>`}yt.legend=s=>{let t=new Set(s.rows.flatMap(e=>e.parts.map(r=>r.kind)));return Object.entries(s.kinds).filter(([e])=>t.has(e)).map(([,{name:e,colour:r}])=>({name:e,colour:r,shape:"area"}))};yt.table=s=>{let t=Object.keys(s.kinds),e=(r,i)=>r.parts.filter(o=>o.kind===i).reduce((o,n)=>o+n.size,0);return{head:["bar",...t.map(r=>s.kinds[r].name),`all: ${s.axis.label}`],rows:s.rows.map(r=>[r.name,...t.map(i=>T(e(r,i))),T(ke(r))])}};var W=24,_e=6.6;function vt(s,t,e){let r=s.marks??[],i=r.some(l=>l.text)?22:6,o=Math.max(...s.rows.map(l=>l.length))*_e+10,n={left:o,right:t-18,top:i,bottom:i+s.rows.length*(W+6)},c=M(s.axis,n.left,n.right),a=s.now??Number.POSITIVE_INFINITY;return{height:n.bottom+42,picture:g`
      ${N(s.axis,c,n)}
      ${s.rows.map((l,p)=>g`<text x=${o-8} y=${i+p*(W+6)+20} text-anchor="end">${l}</text>`)}
      ${s.spans.map((l,p)=>l.from<a?bs(l,p,s,c,i,a,e):"")}
      ${r.map(l=>xs(l,c(l.x),n))}
      ${Number.isFinite(a)?g`<line class="now" x1=${c(a)} x2=${c(a)} y1=${i} y2=${n.bottom} stroke="var(--text)"></line>`:""}`}}function bs(s,t,e,r,i,o,n){let[c,a]=[r(s.from),r(Math.min(o,s.to))],l=i+3+s.row*(W+6)+(s.low?W*.3:0),p=s.low?W*.7:W,d=e.kinds[s.kind],m=s.text??"",$=a-c>m.length*_e+2;return g`<g class=${n?"pickable":""} @click=${n?()=>n(t):null}>
    <rect x=${c} y=${l} width=${Math.max(.5,a-c-1)} height=${p} rx="2" fill=${y(d.colour)}
      stroke=${e.picked===t?"var(--text)":"none"} stroke-width="2"><title>${Ae(s,e)}</title></rect>
    ${m&&$?g`<text class="on" x=${(c+a)/2} y=${l+p/2+4} text-anchor="middle">${m}</text>`:""}
  </g>`}function xs(s,t,e){let r=t>(e.left+e.right)/2?"end":"start";return g`<line class="mark" x1=${t} x2=${t} y1=${e.top-4} y2=${e.bottom}></line>
    <text x=${t} y=${e.top-8} text-anchor=${r}>${s.text}</text>`}function Ae(s,t){return`${[t.kinds[s.kind].name,s.text].filter(Boolean).join(" ")}: ${T(s.from)} to ${T(s.to)}`}vt.legend=s=>{let t=new Set(s.spans.map(e=>e.kind));return Object.entries(s.kinds).filter(([e])=>t.has(e)).map(([,{name:e,colour:r}])=>({name:e,colour:r,shape:"area"}))};vt.table=s=>({head:["row",`in the order of time, ${s.axis.label}`],rows:s.rows.map((t,e)=>[t,s.spans.filter(r=>r.row===e).sort((r,i)=>r.from-i.from).map(r=>Ae(r,s)).join("; ")])});var Se=300;function wt(s,t){let e={left:58,right:t-18,top:26,bottom:Se-44},r=M(s.x,e.left,e.right),i=M(s.y,e.bottom,e.top),o=n=>Math.min(e.bottom,Math.max(e.top,n));return{height:Se,picture:g`
      ${N(s.x,r,e)} ${bt(s.y,i,e)}
      ${(s.areas??[]).map(n=>g`<path d=${ws(n.points,r,c=>o(i(c)))} fill=${y(n.colour)} fill-opacity="0.22"></path>`)}
      ${s.lines.map(n=>ys(n,s.now)).map(n=>n.dots?ks(n,r,i):g`<path class="line ${n.dashed?"dashed":""}" d=${vs(n,r,c=>o(i(c)))} stroke=${y(n.colour)}></path>`)}
      ${(s.marks??[]).map(n=>_s(n,r,i,e))}`}}function ys(s,t=Number.POSITIVE_INFINITY){let e=s.points.filter(([i])=>i<=t),r=s.steps&&e.length&&e.length<s.points.length;return{...s,points:r?[...e,[t,e[e.length-1][1]]]:e}}function vs(s,t,e){let r=null;return s.points.map(([o,n])=>{let c=`${t(o).toFixed(1)},${e(n).toFixed(1)}`,a=r===null?`M${c}`:s.steps?`H${t(o).toFixed(1)}V${e(n).toFixed(1)}`:`L${c}`;return r=n,a}).join("")}function ws(s,t,e){let r=s.map(([o,,n])=>`${t(o).toFixed(1)},${e(n).toFixed(1)}`),i=s.map(([o,n])=>`${t(o).toFixed(1)},${e(n).toFixed(1)}`).reverse();return`M${[...r,...i].join("L")}Z`}function ks(s,t,e){let r=([i,o])=>`M${t(i)-4},${e(o)-4}l8,8m0,-8l-8,8`;return g`<path class="line" d=${s.points.map(r).join("")} stroke=${y(s.colour)}></path>`}function _s(s,t,e,r){let i=s.x===void 0?r.right:t(s.x),o=s.y===void 0?r.top:e(s.y),n=i>(r.left+r.right)/2?"end":"start",a=g`<text x=${i+(n==="end"?-6:6)} y=${s.y===void 0?o+11:o-7} text-anchor=${n}>${s.text}</text>`;return s.x!==void 0&&s.y!==void 0?g`<circle cx=${i} cy=${o} r="5" fill=${y(s.colour)}></circle>${a}`:s.x===void 0?g`<line class="mark" x1=${r.left} x2=${r.right} y1=${o} y2=${o}></line>${a}`:g`<line class="mark" x1=${i} x2=${i} y1=${r.top} y2=${r.bottom}></line>${a}`}wt.legend=s=>[...s.lines.map(({name:t,colour:e,dashed:r,dots:i})=>({name:t,colour:e,shape:i?"cross":r?"dashed":"line"})),...(s.areas??[]).map(({name:t,colour:e})=>({name:t,colour:e,shape:"shade"}))];wt.table=s=>({head:["curve",`from ${s.x.label}`,`${s.y.label} there`,"to","there","least","most"],rows:s.lines.filter(t=>t.points.length).map(({name:t,points:e})=>{let r=e.map(([,n])=>n),[i,o]=[e[0],e[e.length-1]];return[t,...[i[0],i[1],o[0],o[1],Math.min(...r),Math.max(...r)].map(T)]})});var Ee="abcdefghijklmnop";function kt(s,t){let e=s.held.length,r=Math.min(t,520),i=Math.min(22,(r/2-55)/e),[o,n]=[i*e,i+18],[c,a]=[(r-o)/2-4,e>6?190:150],[l,p]=[t/2,a+n/2+8],d=m=>{let $=2*Math.PI*m/e-Math.PI/2;return[l+c*Math.cos($),p+a*Math.sin($)]};return{height:2*a+n+20,picture:g`
      <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0,0L8,4L0,8Z" fill="var(--text)"></path></marker></defs>
      ${s.sends.map((m,$)=>Ss(m,$,e,{middle:l,centre:p,across:c,down:a}))}
      ${s.held.map((m,$)=>As(m,$,d($),i,o,e,s.sends[($+e-1)%e]?.chunk))}
      <text x=${l} y=${p+4} text-anchor="middle" class="name">${s.text}</text>`}}function As(s,t,[e,r],i,o,n,c){let a=e-o/2;return g`<g>
    <rect x=${a-3} y=${r-i/2-17} width=${o+6} height=${i+21} rx="4" fill="var(--back)" stroke="var(--edge)"></rect>
    <text x=${e} y=${r-i/2-4} text-anchor="middle">GPU ${t}</text>
    ${s.map((l,p)=>{let d=l===n;return g`<rect x=${a+p*i+.5} y=${r-i/2} width=${i-1} height=${i-1}
          fill=${y("blue")} fill-opacity=${d?1:.32*l/n} stroke=${p===c?y("orange"):y("blue")}
          stroke-width=${p===c?2.5:.6}></rect>
        <text class=${d?"on":""} x=${a+(p+.5)*i} y=${r+4} text-anchor="middle" font-size=${i<14?9:12}>${l}</text>`})}
  </g>`}function Ss(s,t,e,{middle:r,centre:i,across:o,down:n}){let c=d=>{let m=2*Math.PI*(t+d)/e-Math.PI/2;return[r+o*Math.cos(m),i+n*Math.sin(m)]},[a,l,p]=[c(.3),c(.5),c(.7)];return g`<path d=${`M${a}Q${l} ${p}`} class=${s.adds?"":"dashed"} fill="none" stroke="var(--text)" stroke-width="1.5" marker-end="url(#tip)"></path>
    <circle cx=${l[0]} cy=${l[1]} r="9" fill=${y("orange")}></circle>
    <text class="on" x=${l[0]} y=${l[1]+4} text-anchor="middle">${Ee[s.chunk]}</text>`}kt.legend=()=>[{name:"contributions summed so far",colour:"blue",shape:"area"},{name:"chunk on its way",colour:"orange",shape:"dot"}];kt.table=s=>({head:["GPU",...s.held.map((t,e)=>`chunk ${Ee[e]}`)],rows:s.held.map((t,e)=>[`GPU ${e}`,...t.map(String)])});var Te=320;function _t(s,t,e){let r={left:58,right:t-14,top:26,bottom:Te-44},i=M(s.x,r.left,r.right),o=M(s.y,r.bottom,r.top),n=s.points.map((l,p)=>p).sort((l,p)=>s.points[l].x-s.points[p].x),c=s.picked??n[0],a=l=>{let p={ArrowRight:1,ArrowDown:1,ArrowLeft:-1,ArrowUp:-1}[l.key],d=l.key==="Home"?0:l.key==="End"?n.length-1:p&&n.indexOf(c)+p;d===void 0||n[d]===void 0||l.ctrlKey||l.altKey||l.metaKey||(l.preventDefault(),l.currentTarget.querySelector(`[data-place="${n[d]}"]`).focus(),e(n[d]))};return{height:Te,interactive:!!e,picture:g`
      ${N(s.x,i,r)} ${bt(s.y,o,r)}
      ${(s.marks??[]).map(l=>Es(l,i,o,r))}
      ${s.front?g`<path class="line" stroke=${y("grey")} d=${`M${s.front.map(([l,p])=>`${i(l)},${o(p)}`).join("L")}`}></path>`:""}
      <g role=${e?"listbox":"none"} aria-label=${s.title} @keydown=${e?a:null}>
        ${s.points.map((l,p)=>g`<circle cx=${i(l.x)} cy=${o(l.y)} r=${p===s.picked?7:5} data-place=${p}
            class=${e?"pickable":""} fill=${y(l.colour)} stroke="var(--text)" stroke-width=${p===s.picked?2.5:0}
            role=${e?"option":"none"} aria-selected=${p===s.picked} aria-label=${l.text} tabindex=${e&&p===c?0:-1}
            @click=${e?()=>e(p):null}><title>${l.text}</title></circle>`)}
      </g>`}}function Es(s,t,e,r){if(s.x!==void 0){let o=t(s.x);return g`<line class="mark" x1=${o} x2=${o} y1=${r.top} y2=${r.bottom}></line>
      <text x=${o-5} y=${r.top+11} text-anchor="end">${s.text}</text>`}let i=e(s.y);return g`<line class="mark" x1=${r.left} x2=${r.right} y1=${i} y2=${i}></line>
    <text x=${r.right} y=${i-5} text-anchor="end">${s.text}</text>`}_t.legend=s=>{let e=[...new Map(s.points.filter(r=>r.name).map(r=>[r.name,r.colour]))].map(([r,i])=>({name:r,colour:i,shape:"dot"}));return s.frontName?[...e,{name:s.frontName,colour:"grey",shape:"line"}]:e};_t.table=s=>({head:["point",s.x.label,s.y.label],rows:s.points.map(t=>[t.text,t.x,t.y].map(String))});var Ts={bars:yt,gantt:vt,lines:wt,ring:kt,scatter:_t};function R(s,t,e,r){let i=Ts[s],{height:o,picture:n,interactive:c}=i(t,e,r),{head:a,rows:l}=i.table(t);return h`<div class="drawing">
    <ul class="legend">
      ${i.legend(t).map(({name:p,colour:d,shape:m})=>h`<li>${Ms(m,d)}${p}</li>`)}
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
              ${a.map(p=>h`<th scope="col">${p}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${l.map(([p,...d])=>h`<tr>
                  <th scope="row">${p}</th>
                  ${d.map(m=>h`<td>${m}</td>`)}
                </tr>`)}
          </tbody>
        </table>
      </div>
    </details>
  </div>`}function Ms(s,t){let e={line:g`<path d="M0,6H20" stroke=${y(t)} stroke-width="2.5"></path>`,dashed:g`<path d="M0,6H20" stroke=${y(t)} stroke-width="2.5" stroke-dasharray="6 4"></path>`,cross:g`<path d="M6,2l8,8m0,-8l-8,8" stroke=${y(t)} stroke-width="2.5"></path>`,area:g`<rect width="14" height="12" x="3" rx="2" fill=${y(t)}></rect>`,shade:g`<rect width="14" height="12" x="3" rx="2" fill=${y(t)} fill-opacity="0.3"></rect>`,dot:g`<circle cx="10" cy="6" r="5" fill=${y(t)}></circle>`};return g`<svg width="20" height="12" aria-hidden="true">${e[s]}</svg>`}var K=class{value=640;#o;#r=new ResizeObserver(([t])=>{let e=Math.max(280,Math.round(t.contentRect.width));e!==this.value&&(this.value=e,this.#o.requestUpdate())});constructor(t){this.#o=t,t.addController(this)}hostConnected(){this.#r.observe(this.#o)}hostDisconnected(){this.#r.disconnect()}};var Y=C`
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
`;var Ps=6e3,Cs=700,Me=()=>matchMedia("(prefers-reduced-motion: reduce)").matches,At=class extends A{static styles=[Y,xt,C`
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
    `];static properties={host:{attribute:!1},given:{attribute:!1},settings:{state:!0},shown:{state:!0},frame:{state:!0},playing:{state:!0},guessed:{state:!0},judged:{state:!0},trouble:{state:!0},heard:{state:!0}};#o=new K(this);#r=new Map;#n=!1;#a;#h;willUpdate(t){if(!t.has("given"))return;let e=this.host.draft.get(this.#t)??{};this.settings={...this.given.start,...e.settings},this.guessed=e.guessed??!1,this.judged="",this.trouble="",this.#m()}disconnectedCallback(){super.disconnectedCallback(),this.#u(),clearTimeout(this.#h)}get#t(){return`figure ${this.given.name}`}#i(){this.host.draft.set(this.#t,{settings:this.settings,guessed:this.guessed})}async#m(){if(this.#n)return;this.#n=!0;let t;do if(t=JSON.stringify(this.settings),!this.#r.has(t)){let e={do:"figure",name:this.given.name,settings:this.settings},r=await this.host.ask(e).catch(i=>({error:i.message}));r.error?this.trouble=r.error:this.#r.set(t,r.shown)}while(t!==JSON.stringify(this.settings));this.#n=!1,this.#r.has(t)&&this.#f(this.#r.get(t))}#f(t){let e=(t.frames?.length??1)-1,r=this.shown?.frames?.length;r===void 0?this.frame=t.starts_at??e:this.frame=this.frame===r-1?e:Math.min(this.frame,e),this.trouble="",this.shown=t,this.#s()}#s(){clearTimeout(this.#h),this.#h=setTimeout(()=>{this.playing||(this.heard=this.#e.map(([t,e])=>`${t}: ${e}`).join("; "))},Cs)}get#e(){return this.shown?.frames?.[this.frame]?.facts??this.shown?.facts??[]}#l(t,e){this.settings={...this.settings,[t]:e},this.#i(),this.#m()}get#c(){if(this.shown?.frames)return{place:this.frame,count:this.shown.frames.length,go:i=>{this.frame=i,this.#s()}};let t=this.given.controls.find(({name:i})=>i===this.given.plays),{name:e,options:r}=t;return{place:r.indexOf(this.settings[e]),count:r.length,go:i=>this.#l(e,r[i])}}#p(t){let{place:e,count:r,go:i}=this.#c;i(Math.min(r-1,Math.max(0,e+t)))}#d=()=>{if(this.playing)return this.#u();let{place:t,count:e,go:r}=this.#c;if(Me())return this.#p(t===e-1?-t:1);t===e-1&&r(0),this.playing=!0;let i=Math.min(900,Math.max(150,Ps/e));this.#a=setInterval(()=>{this.#p(1),this.#c.place===this.#c.count-1&&this.#u()},i)};#u(){clearInterval(this.#a),this.playing=!1,this.shown&&this.#s()}#g(t){let e=t.target.closest("button, summary, a, input:not([type='range'])");t.key!==" "||e||!this.guessed||!this.shown||(t.preventDefault(),this.#d())}async#x(t){t.preventDefault();let e=new FormData(t.currentTarget).get("guess")??"",r={do:"figure",name:this.given.name,guess:e},i=await this.host.ask(r).catch(o=>({error:o.message}));i.error?this.trouble=i.error:this.#$(i.judged)}#$(t){this.judged=t,this.guessed=t===""||t.right!==null,this.#i()}render(){return h`<section aria-labelledby="title" @keydown=${this.#g}>
      <header><h3 id="title">${this.given.title}</h3></header>
      ${this.guessed?f:this.#b()}
      <div role="status" class="prose said" data-outcome=${this.judged?this.judged.right?"correct":"incorrect":""}>
        ${this.judged?h`<p>${this.judged.say}</p>`:f}
      </div>
      ${this.guessed?this.#y():f}
      <div role="alert">${this.trouble?v(this.trouble):f}</div>
    </section>`}#b(){let{ask:t,choices:e,unit:r}=this.given.predict;return h`<form novalidate @submit=${this.#x}>
      <p class="quiet">Guess first; then comes the picture.</p>
      ${e?h`<fieldset>
              <legend>${t}</legend>
              ${e.map(i=>h`<label class="option"><input type="radio" name="guess" value=${i} /><span></span><span>${i}</span></label>`)}
            </fieldset>`:h`<label for="guess">${t}</label>
              <div class="guess">
                <input type="text" id="guess" name="guess" inputmode="decimal" autocomplete="off" /><span>${r}</span>
              </div>`}
      <div class="buttons">
        <button class="primary">Check my guess</button>
        <button type="button" @click=${()=>this.#$("")}>Show the picture</button>
      </div>
    </form>`}#y(){let{shown:t}=this;if(!t)return h`<p class="quiet">Python is computing the picture.</p>`;let e=t.frames?.[this.frame]?.panels??[];return h`
      <div class="controls">${this.given.controls.map(r=>this.#v(r))}</div>
      ${this.#w()}
      ${t.panels.map((r,i)=>R(r.drawing,{...r,...e[i]},this.#o.value))}
      <dl class="facts">${this.#e.map(([r,i])=>h`<div><dt>${r}</dt><dd>${i}</dd></div>`)}</dl>
      <p class="heard" role="status">${this.heard}</p>
    `}#v({name:t,label:e,options:r,as:i}){let o=this.settings[t];return i==="choice"?h`<fieldset class="control wide">
        <legend class="quiet">${e}</legend>
        <div class="choices">
          ${r.map(n=>h`<label>
              <input type="radio" name=${t} .checked=${n===o} @change=${()=>this.#l(t,n)} />${n}
            </label>`)}
        </div>
      </fieldset>`:h`<div class="control">
      <label for=${t}><span class="quiet">${e}</span><output>${o}</output></label>
      <input
        type="range"
        id=${t}
        max=${r.length-1}
        aria-valuetext=${o}
        .value=${String(r.indexOf(o))}
        @input=${n=>this.#l(t,r[Number(n.target.value)])}
      />
    </div>`}#w(){let{place:t,count:e,go:r}=this.#c,i=(o,n,c)=>h`<button type="button" aria-disabled=${c?"true":"false"} @click=${()=>c||n()}>${o}</button>`;return h`<div class="play" role="group" aria-label="Step by step">
      ${i("Back",()=>this.#p(-1),t===0)}
      ${Me()?f:i(this.playing?"Pause":"Play",this.#d,!1)}
      ${i("Step",()=>this.#p(1),t===e-1)}
      ${this.shown.frames?h`<input type="range" aria-label="moment" aria-valuetext="${t+1} of ${e}" max=${e-1} .value=${String(t)}
              @input=${o=>r(Number(o.target.value))} />`:f}
    </div>`}};var{I:Os}=xe,Pe=s=>s;var Oe=s=>s.strings===void 0,Ce=()=>document.createComment(""),X=(s,t,e)=>{let r=s._$AA.parentNode,i=t===void 0?s._$AB:t._$AA;if(e===void 0){let o=r.insertBefore(Ce(),i),n=r.insertBefore(Ce(),i);e=new Os(o,n,s,s.options)}else{let o=e._$AB.nextSibling,n=e._$AM,c=n!==s;if(c){let a;e._$AQ?.(s),e._$AM=s,e._$AP!==void 0&&(a=s._$AU)!==n._$AU&&e._$AP(a)}if(o!==i||c){let a=e._$AA;for(;a!==o;){let l=Pe(a).nextSibling;Pe(r).insertBefore(a,i),a=l}}}return e},I=(s,t,e=s)=>(s._$AI(t,e),s),qs={},J=(s,t=qs)=>s._$AH=t,qe=s=>s._$AH,St=s=>{s._$AR(),s._$AA.remove()};var _=U(class extends E{constructor(s){if(super(s),s.type!==S.PROPERTY&&s.type!==S.ATTRIBUTE&&s.type!==S.BOOLEAN_ATTRIBUTE)throw Error("The `live` directive is not allowed on child or event bindings");if(!Oe(s))throw Error("`live` bindings can only contain a single expression")}render(s){return s}update(s,[t]){if(t===k||t===f)return t;let e=s.element,r=s.name;if(s.type===S.PROPERTY){if(t===e[r])return k}else if(s.type===S.BOOLEAN_ATTRIBUTE){if(!!t===e.hasAttribute(r))return k}else if(s.type===S.ATTRIBUTE&&e.getAttribute(r)===t+"")return k;return J(s),t}});function Et(s,t,e,r,i=""){let o=n=>r(t[n.target.value]);return h`<label class="control">
    <span class="name">${s} <b>${e.toLocaleString("en")}</b></span>
    <input
      type="range"
      min="0"
      max=${t.length-1}
      .value=${_(String(t.indexOf(e)))}
      aria-valuetext=${`${e} ${i}`}
      ?disabled=${t.length<2}
      @input=${o}
    />
    ${i?h`<span class="quiet">${i}</span>`:f}
  </label>`}function H(s,t,e,r){let i=t.map(o=>Array.isArray(o)?o:[o,o]);return h`<label class="control">
    <span class="name">${s}</span>
    <select @change=${o=>r(i[o.target.selectedIndex][0])}>
      ${i.map(([o,n])=>h`<option ?selected=${o===e}>${n}</option>`)}
    </select>
  </label>`}function P(s,t,e){let r=i=>{let o=i.target.value.trim(),n=o.replace(/[,_ ]/g,"");e(/^\d+$/.test(n)?Number(n):o)};return h`<label class="control">
    <span class="name">${s}</span>
    <input type="text" autocomplete="off" spellcheck="false" .value=${_(String(t??""))} @change=${r} />
  </label>`}function Tt(s,t,e){return h`<label class="box">
    <input type="checkbox" .checked=${_(t)} @change=${r=>e(r.target.checked)} /> ${s}
  </label>`}function V(s,t=""){return s?.length?h`<ul class="remarks ${t}">${s.map(e=>h`<li>${e}</li>`)}</ul>`:f}function Us(s){return h`<dl class="facts">
    ${s.map(({name:t,value:e,note:r})=>h`<div><dt>${t}</dt><dd class="value">${e}</dd><dd class="note">${r}</dd></div>`)}
  </dl>`}function Ue(s,t){return h`<details>
    <summary>${s}</summary>
    <table class="amounts">
      ${t.map(({name:e,amount:r,share:i})=>h`<tr><td>${e}</td><td>${r}</td><td>${i}</td></tr>`)}
    </table>
  </details>`}function Ns(s){return s.length?h`<div class="scroll" tabindex="0" role="region" aria-label="Where the axes sit">
    <table>
      <thead><tr>${["axis","GPUs in a group","where","what they send each other"].map(e=>h`<th scope="col">${e}</th>`)}</tr></thead>
      <tbody>
        ${s.map(({axis:e,size:r,sits:i,sends:o})=>h`<tr><th scope="row">${e}</th><td>${r.toLocaleString("en")}</td><td>${i}</td><td>${o}</td></tr>`)}
      </tbody>
    </table>
  </div>`:h`<p>One GPU: nothing is sent.</p>`}function Ne(s,t,e){return h`
    <section aria-label="What the plan comes to">
      ${V(s.faults,"broken")}
      <p class="quiet">${s.line}</p>
      ${s.figures?Us(s.figures):f}
      ${V(s.warnings)}
    </section>
    ${s.memory?h`
          <section aria-labelledby="memory">
            <h4 id="memory">Memory of the fullest GPU</h4>
            ${R("bars",s.memory,e)} ${Ue("Each bucket",s.buckets)}
          </section>
          <section aria-labelledby="peak">
            <h4 id="peak">What becomes of the peak</h4>
            ${R("bars",s.peak,e)} ${Ue("Each part of the step",s.parts)}
          </section>
          <section aria-labelledby="pipeline">
            <h4 id="pipeline">The pipeline</h4>
            ${t?.gantt?h`<p class="quiet">${t.gantt.title}</p>${R("gantt",t.gantt,e)}`:h`<p>${t?.words}</p>`}
          </section>`:f}
    <section aria-labelledby="places">
      <h4 id="places">Where the axes sit</h4>
      ${Ns(s.places)}
      ${s.counted.length?h`<details><summary>How this counts</summary><ul>${s.counted.map(r=>h`<li>${r}</li>`)}</ul></details>`:f}
    </section>`}var Wt=250,Kt=32,Re=780,Ie=C`
  :host { max-width: 76rem; }
  .wide { display: grid; grid-template-columns: ${Wt}px minmax(0, 1fr); gap: 0 ${Kt}px; }
  form { margin: 0; }
  form fieldset + fieldset, form details { margin-top: 1.1rem; }
  legend, h4 { margin: 0 0 0.4rem; padding: 0; font-size: 1em; font-weight: 600; }
  .results > section + section { margin-top: 1.3rem; padding-top: 1rem; border-top: 1px solid var(--edge); }
  .controls { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); gap: 0.55rem 1.2rem; }
  .control { display: block; }
  .control .name { display: flex; justify-content: space-between; gap: 1rem; }
  .control .quiet { display: block; }
  .name b { font-weight: 600; font-variant-numeric: tabular-nums; }
  input[type="range"] { display: block; width: 100%; margin: 0.15rem 0 0; accent-color: var(--accent); }
  .control select { width: 100%; }
  .box { display: flex; align-items: baseline; gap: 0.45rem; }
  .box input { accent-color: var(--accent); transform: translateY(1px); }
  .boxes { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; }
  summary { cursor: pointer; }
  .results details { margin-top: 0.5rem; }
  .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11.5rem, 100%), 1fr)); gap: 0.8rem 1.2rem; margin: 0.6rem 0 0; }
  .facts dt { color: var(--quiet); font-size: 0.93em; }
  .facts dd { margin: 0; }
  .facts .value { font-size: 1.35em; font-weight: 600; font-variant-numeric: tabular-nums; }
  .facts .note { color: var(--quiet); font-size: 0.93em; }
  .remarks { padding: 0; list-style: none; }
  .remarks li { margin: 0 0 0.4rem; padding-left: 0.8rem; border-left: 4px solid var(--partial); }
  .remarks.broken li { border-left-color: var(--incorrect); }
  .amounts td + td { text-align: right; font-variant-numeric: tabular-nums; }
  .scroll { overflow-x: auto; }
  .results [role="status"], .results .buttons + ul { margin-top: 0.7rem; }
  .results { margin-top: 1.2rem; }
  .wide .results { margin-top: 0; }
  .copied pre { max-height: 20rem; overflow: auto; }
  .heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;var He={tp:"TP, tensor",cp:"CP, context",pp:"PP, pipeline",ep:"EP, experts",dp:"DP, data"},Rs={tp:"TP",cp:"CP",pp:"PP",ep:"EP",virtual_stages:"virtual stages",zero:"ZeRO",micro_batch:"micro-batch",recompute:"recomputation"},Is=[[0,"0: copies of everything"],[1,"1: optimizer sharded"],[2,"2: and gradients"],[3,"3: and weights, as FSDP"]],Hs={layers:"layers",hidden:"width",ffn_hidden:"width of the MLP",heads:"heads",kv_heads:"key/value heads",vocabulary:"vocabulary",experts:"experts",experts_per_token:"experts a token",expert_ffn_hidden:"width of an expert"},Mt="own numbers",Ls="Python stopped before it had an answer. Change something to ask again.",js=150,Ds=700,Pt=class extends A{static styles=[Y,xt,Ie];static properties={host:{attribute:!1},given:{attribute:!1},asked:{state:!0},shown:{state:!0},refused:{state:!0},drawn:{state:!0},keep:{state:!0},searching:{state:!0},found:{state:!0},picked:{state:!0},copied:{state:!0},heard:{state:!0}};#o=new K(this);#r=!1;#n;#a;willUpdate(t){t.has("given")&&(this.asked=this.host.draft.get(this.#h)??this.given.start,this.keep=[],this.#i())}disconnectedCallback(){super.disconnectedCallback(),clearTimeout(this.#n),clearTimeout(this.#a)}get#h(){return`planner ${JSON.stringify(this.given.start)}`}#t(t){let e={given:this.asked,...t};return this.host.ask({do:"plan",wanted:e}).then(r=>r.error?{refused:[Ls]}:r).catch(r=>({refused:[r.message]}))}async#i(){if(this.#r)return;this.#r=!0;let t,e;do t=this.asked,e=await this.#t({do:"plan"});while(t!==this.asked);this.#r=!1,this.refused=e.refused,this.refused||(this.shown=e),clearTimeout(this.#n),this.#n=setTimeout(()=>this.#m(),js),clearTimeout(this.#a),this.#a=setTimeout(()=>this.#f(),Ds)}async#m(){let t=this.asked;if(this.refused||!this.shown.figures)return;let e=await this.#t({do:"pipeline"});t===this.asked&&(this.drawn=e)}#f(){let{faults:t,figures:e}=this.shown??{},r=(e??[]).map(({name:i,value:o})=>`${i}: ${o}`);this.heard=(this.refused??[...t??[],...r]).join(" ")}#s(t){this.asked={...this.asked,...t},(!("layout"in t)||Object.keys(t).length>1)&&(this.found=void 0),this.picked=void 0,this.copied=void 0,this.host.draft.set(this.#h,this.asked),this.#i()}#e(t,e){let r={...this.asked.layout,[t]:e};e===void 0&&delete r[t],t==="virtual_stages"&&delete r.schedule,t==="recompute"&&e==="partial"&&(r.recomputed_layers||=Math.ceil(this.#l.layers/2)),this.#s({layout:r})}get#l(){return{...this.shown.plan.model,...typeof this.asked.model=="object"?this.asked.model:{}}}get#c(){return{...this.shown.plan.cluster,...this.asked.cluster}}get#p(){return{...this.shown.plan.layout,...this.asked.layout}}#d(t){this.#s({cluster:{...this.asked.cluster,...t}})}#u(t,e){this.#s({batch:{...this.asked.batch,[t]:e}})}#g(t,e){let{name:r,...i}=this.#l;this.#s({model:{...i,name:Mt,[t]:e}})}#x=async()=>{if(this.searching)return;let{model:t,cluster:e,batch:r}=this.asked;this.searching=!0,this.found=void 0;let i=await this.#t({do:"search",keep:this.keep});this.searching=!1,t===this.asked.model&&e===this.asked.cluster&&r===this.asked.batch&&(this.found=i)};#$=t=>{let{dp:e,...r}=this.found.layouts[t];this.#s({layout:r}),this.picked=t};async#b(t){let{text:e,refused:r}=await this.#t(t);this.copied={text:e,refused:r}}async#y(){try{await navigator.clipboard.writeText(this.copied.text),this.copied={...this.copied,done:"Copied."}}catch{getSelection().selectAllChildren(this.renderRoot.querySelector("pre")),this.copied={...this.copied,done:"Selected: copy it with Ctrl+C."}}}render(){if(!this.shown)return this.refused?V(this.refused,"broken"):h`<p>Asking Python …</p>`;let t=this.#o.value>=Re,e=t?this.#o.value-Wt-Kt:this.#o.value;return h`
      <section aria-labelledby="title">
        <header><h3 id="title">${this.shown.title}</h3></header>
        <div class=${t?"wide":""}>
          <form novalidate @submit=${r=>r.preventDefault()}>${this.#v()} ${this.#w()}</form>
          <div class="results">
            ${this.refused?V(this.refused,"broken"):Ne(this.shown,this.drawn,e)}
            ${this.#k(e)} ${this.#_()}
          </div>
        </div>
        <div class="heard" role="status">${this.heard}</div>
      </section>
    `}#v(){let{choices:t}=this.given,e=this.#c,{batch:r,tokens:i,price:o}=this.asked,n=typeof this.asked.model=="object",c=n?[...t.model,Mt]:t.model;return h`
      <fieldset>
        <legend>The run</legend>
        <div class="controls">
          ${H("model",c,n?Mt:this.shown.plan.model.name,a=>a!==Mt&&this.#s({model:a}))}
          ${H("GPU",t.accelerator,e.accelerator,a=>this.#s({cluster:{accelerator:a,gpus:e.gpus}}))}
          ${P("GPUs",e.gpus,a=>this.#d({gpus:a}))}
          ${P("sequences of a step",r?.global_batch??this.shown.plan.batch.global_batch,a=>this.#u("global_batch",a))}
          ${P("tokens of a sequence",r?.sequence??this.shown.plan.batch.sequence,a=>this.#u("sequence",a))}
          ${P("tokens of the run",i,a=>this.#s({tokens:a===""?null:a}))}
          ${P("dollars of a GPU-hour",o,a=>this.#s({price:a===""?null:a}))}
        </div>
        <details>
          <summary>Own numbers</summary>
          <div class="controls">
            ${P("GPUs that fast links join",e.gpus_per_node,a=>this.#d({gpus_per_node:a}))}
            ${P("network of a GPU, a direction",zs(e.network_bytes_per_s),a=>this.#d({network_bytes_per_s:a}))}
            ${Object.entries(Hs).map(([a,l])=>P(l,this.#l[a],p=>this.#g(a,p)))}
          </div>
        </details>
      </fieldset>
    `}#w(){let{choices:t}=this.given,{choices:e}=this.shown,r=this.#p,i=this.asked.layout?.dp===void 0,o=n=>Et(He[n],Yt(e[n],r[n]),r[n],c=>this.#e(n,c));return h`
      <fieldset>
        <legend>The layout</legend>
        <div class="controls">
          ${o("tp")} ${o("cp")} ${o("pp")} ${this.#l.experts?o("ep"):f}
          <div>
            ${i?h`<div class="control"><div class="name">${He.dp} <b>${this.shown.plan.layout.dp}</b></div></div>`:o("dp")}
            ${Tt("what the GPUs leave",i,n=>this.#e("dp",n?void 0:this.shown.plan.layout.dp))}
          </div>
          ${Et("virtual stages",Yt(e.virtual_stages,r.virtual_stages),r.virtual_stages,n=>this.#e("virtual_stages",n))}
          ${Et("micro-batch",Yt(e.micro_batch,r.micro_batch),r.micro_batch,n=>this.#e("micro_batch",n))}
          ${H("ZeRO",Is,r.zero,n=>this.#e("zero",n))}
          ${H("recomputation",t.recompute,r.recompute,n=>this.#e("recompute",n))}
          ${r.recompute==="partial"?P("layers computed again",r.recomputed_layers,n=>this.#e("recomputed_layers",n)):f}
          ${H("schedule",t.schedule,r.schedule,n=>this.#e("schedule",n))}
          ${H("precision",t.precision,r.precision,n=>this.#e("precision",n))}
          ${H("software",t.software,r.software,n=>this.#e("software",n))}
          ${Tt("sequence parallelism",r.sequence_parallel,n=>this.#e("sequence_parallel",n))}
        </div>
      </fieldset>
    `}#k(t){let{found:e}=this,r=(i,o)=>{this.keep=o?[...this.keep,i]:this.keep.filter(n=>n!==i)};return h`
      <section aria-labelledby="search">
        <h4 id="search">The best layouts</h4>
        <fieldset>
          <legend class="quiet">A search keeps</legend>
          <div class="boxes">${Object.entries(Rs).map(([i,o])=>Tt(o,this.keep.includes(i),n=>r(i,n)))}</div>
        </fieldset>
        <div class="buttons">
          <button type="button" class="primary" aria-disabled=${this.searching?"true":"false"} @click=${this.#x}>Search</button>
        </div>
        <p role="status">${this.searching?"Searching: large mixtures of experts take some seconds \u2026":e?.words}</p>
        ${V(e?.refused??[],"broken")}
        ${e?.scatter?h`<p class="quiet">Click a point, or reach it with Tab and the arrow keys: its layout is loaded.</p>
              ${R("scatter",{...e.scatter,picked:this.picked},t,this.#$)}`:f}
      </section>
    `}#_(){let{copied:t}=this;return h`
      <section aria-labelledby="elsewhere" class="copied">
        <h4 id="elsewhere">Take it elsewhere</h4>
        <div class="buttons">
          ${this.given.choices.frameworks.map(({name:e,title:r})=>h`<button type="button" @click=${()=>this.#b({do:"settings",framework:e})}>${r}</button>`)}
          <button type="button" @click=${()=>this.#b({do:"problem"})}>A problem like this</button>
        </div>
        ${V(t?.refused??[],"broken")}
        ${t?.text?h`<pre tabindex="0" role="region" aria-label="Settings">${t.text}</pre>
              <div class="buttons"><button type="button" @click=${()=>this.#y()}>Copy</button></div>`:f}
        <p role="status">${t?.done}</p>
      </section>
    `}},Yt=(s,t)=>s.includes(t)?s:[...s,t].sort((e,r)=>e-r),zs=s=>typeof s=="number"?`${s/1e9} GB/s`:s;var Xt=U(class extends E{constructor(){super(...arguments),this.key=f}render(s,t){return this.key=s,t}update(s,[t,e]){return t!==this.key&&(J(s),this.key=t),e}});var Le={template(s){let{field:t,id:e}=s;if(!t.how)return h`<fieldset>
        <legend class="label">${t.label}</legend>
        <div class="arguments">${nt(t.fields,s)}</div>
      </fieldset>`;let r=`${e}-how`;return h`<fieldset class="part">
      <legend class="label">${t.label}</legend>
      ${t.html?h`<div class="prose">${v(t.html)}</div>`:f}
      <p id=${r} class="quiet">${t.how}</p>
      ${nt(t.fields,{...s,how:r})}
    </fieldset>`},answer:(s,t)=>Ct(s.fields,t)};function je(s,t){let e=t.draft?.[s.mends]??0,r=t.fields.find(i=>i.name===s.mends);return{number:e,text:e?r.lines[e-1].trim():""}}var De={template({field:s,id:t,how:e,draft:r,set:i,beside:o}){let n=s.mends&&je(s,o),c=n?r?.[n.number]??n.text:r??"",a=p=>i(n?{...r,[n.number]:p}:p),l=s.note&&h`<p id="${t}-note" class="quiet">${s.note}</p>`;return h`<div class="field">
      <label class="label" for=${t}>${s.label}</label>
      <input
        type="text" id=${t} class=${s.is_code?"code":"quantity"}
        autocomplete="off" autocapitalize="off" spellcheck="false"
        aria-describedby=${l?`${t}-note`:e}
        .value=${_(c)} @input=${p=>a(p.target.value)} />
      ${l||f}
    </div>`},answer(s,t,e){if(!s.mends)return t??"";let{number:r,text:i}=je(s,e),o=t?.[r]??i;return o.trim()===i?"":o}};var ze={template({field:s,id:t,draft:e,set:r}){let i=s.lines.length,o=n=>{let c={ArrowDown:Math.min(i,(e??0)+1),ArrowUp:Math.max(1,(e??i+1)-1),Home:1,End:i}[n.key];c===void 0||n.ctrlKey||n.altKey||n.metaKey||(n.preventDefault(),r(c))};return h`<div class="field">
      <div id="${t}-label" class="label">${s.label}</div>
      <div
        role="listbox" tabindex="0" class="listing" aria-labelledby="${t}-label"
        aria-activedescendant=${e?`${t}-line-${e}`:f} @keydown=${o}>
        ${s.lines.map((n,c)=>h`<div
            role="option" id="${t}-line-${c+1}" class="line"
            aria-selected=${c+1===e?"true":"false"} @click=${()=>r(c+1)}>
            <span class="number">${c+1}</span><code>${n}</code>
          </div>`)}
      </div>
    </div>`},answer:(s,t)=>t??null};var Be={template:({field:s,id:t,draft:e,set:r})=>h`<div class="field">
    <label for=${t}><code>${s.label}</code></label>
    <input
      type="text" id=${t} inputmode=${s.is_whole?"numeric":"decimal"}
      autocomplete="off" spellcheck="false" aria-describedby="${t}-range"
      .value=${_(e??"")} @input=${i=>r(i.target.value)} />
    <span id="${t}-range" class="quiet">${s.range}</span>
  </div>`,answer(s,t){let e=(t??"").trim();return e===""?null:Number.isFinite(Number(e))?Number(e):e}};var Ge={template({field:s,id:t,how:e,draft:r,set:i}){let o=s.pick==="one",n=r??[],c=(a,l)=>{let p=o?[]:n.filter(d=>d!==a);return s.options.map(d=>d.label).filter(d=>p.includes(d)||l&&d===a)};return h`<fieldset aria-labelledby=${e}>
      ${s.options.map(a=>h`<label class="option">
          <input
            type=${o?"radio":"checkbox"} name=${t} value=${a.label}
            .checked=${_(n.includes(a.label))}
            @change=${l=>i(c(a.label,l.target.checked))} />
          <span class="letter">${a.label})</span>
          <span>${v(a.html)}</span>
        </label>`)}
    </fieldset>`},answer:(s,t)=>t??[]};var Ve=(s,t,e)=>{let r=new Map;for(let i=t;i<=e;i++)r.set(s[i],i);return r},Fe=U(class extends E{constructor(s){if(super(s),s.type!==S.CHILD)throw Error("repeat() can only be used in text expressions")}dt(s,t,e){let r;e===void 0?e=t:t!==void 0&&(r=t);let i=[],o=[],n=0;for(let c of s)i[n]=r?r(c,n):n,o[n]=e(c,n),n++;return{values:o,keys:i}}render(s,t,e){return this.dt(s,t,e).values}update(s,[t,e,r]){let i=qe(s),{values:o,keys:n}=this.dt(t,e,r);if(!Array.isArray(i))return this.ut=n,o;let c=this.ut??=[],a=[],l,p,d=0,m=i.length-1,$=0,u=o.length-1;for(;d<=m&&$<=u;)if(i[d]===null)d++;else if(i[m]===null)m--;else if(c[d]===n[$])a[$]=I(i[d],o[$]),d++,$++;else if(c[m]===n[u])a[u]=I(i[m],o[u]),m--,u--;else if(c[d]===n[u])a[u]=I(i[d],o[u]),X(s,a[u+1],i[d]),d++,u--;else if(c[m]===n[$])a[$]=I(i[m],o[$]),X(s,i[d],i[m]),m--,$++;else if(l===void 0&&(l=Ve(n,$,u),p=Ve(c,d,m)),l.has(c[d]))if(l.has(c[m])){let b=p.get(n[$]),x=b!==void 0?i[b]:null;if(x===null){let w=X(s,i[d]);I(w,o[$]),a[$]=w}else a[$]=I(x,o[$]),X(s,i[d],x),i[b]=null;$++}else St(i[m]),m--;else St(i[d]),d++;for(;$<=u;){let b=X(s,a[u+1]);I(b,o[$]),a[$++]=b}for(;d<=m;){let b=i[d++];b!==null&&St(b)}return this.ut=n,J(s,a),k}});function Bs(s,t){let e=s.items.map(i=>i.label);return Array.isArray(t)&&t.length===e.length&&e.every(i=>t.includes(i))?t:e}var at=(s,t)=>s.querySelector(`[data-label="${t}"]`),We={template({field:s,id:t,how:e,draft:r,set:i,settled:o}){let n=Bs(s,r),c=new Map(s.items.map(u=>[u.label,u])),a=(u,b,x)=>{if(x<0||x>=n.length||n[x]===b)return;let w=n.filter(L=>L!==b);i(w.toSpliced(x,0,b)),u.parentElement.querySelector("[aria-live]").textContent=`${b} is now ${x+1} of ${n.length}.`},l=(u,b,x)=>{let{currentTarget:w}=u;a(w.closest("ol"),b,n.indexOf(b)+x),o().then(()=>w.focus())},p=u=>{let b=u.target.dataset?.label,x=n.indexOf(b),w={ArrowUp:x-1,ArrowDown:x+1,Home:0,End:n.length-1}[u.key];if(x<0||w===void 0||u.ctrlKey||u.metaKey)return;u.preventDefault();let L=u.currentTarget;u.altKey?(a(L,b,w),o().then(()=>at(L,b).focus())):at(L,n[w]??b).focus()},d=u=>{let b=u.target.closest("li")?.dataset.label,x=u.pointerType==="mouse"||u.target.closest(".grip");if(!b||!x||u.button!==0||u.target.closest("button"))return;u.preventDefault();let w=u.currentTarget;w.setPointerCapture(u.pointerId),w.dataset.dragged=b,at(w,b).focus()},m=u=>{let b=u.currentTarget,x=b.dataset.dragged;if(!x)return;let L=n.map(lt=>{let{top:Ut,height:ts}=at(b,lt).getBoundingClientRect();return{other:lt,middle:Ut+ts/2}}).filter(({other:lt,middle:Ut})=>lt!==x&&Ut<u.clientY).length;a(b,x,L),o().then(()=>at(b,x).focus())},$=u=>{delete u.currentTarget.dataset.dragged};return h`<div class="field">
      <ol
        class="order" aria-labelledby=${e} aria-describedby="${t}-keys"
        @keydown=${p} @pointerdown=${d} @pointermove=${m}
        @pointerup=${$} @pointercancel=${$}>
        ${Fe(n,u=>u,(u,b)=>h`<li data-label=${u} tabindex=${b===0?"0":"-1"}>
            <span class="grip" aria-hidden="true">⠿</span>
            <span class="letter">${u})</span>
            <span class="item">${v(c.get(u).html)}</span>
            <button
              type="button" tabindex="-1" aria-label="Move ${u} up"
              @click=${x=>l(x,u,-1)}>↑</button>
            <button
              type="button" tabindex="-1" aria-label="Move ${u} down"
              @click=${x=>l(x,u,1)}>↓</button>
          </li>`)}
      </ol>
      <p id="${t}-keys" class="quiet">Drag an item, or go to it with ↑ and ↓ and move it with Alt+↑ and Alt+↓.</p>
      <p class="unseen" aria-live="polite"></p>
    </div>`},answer:(s,t)=>t??null};var Ke={template({field:s,id:t,draft:e,set:r}){let i=o=>h`<div class="pair">
      <span class="letter">${o.label}.</span>
      <span class="item">${v(o.html)}</span>
      <select
        id="${t}-${o.label}" aria-label="${o.label} belongs to"
        .value=${_(e?.[o.label]??"")}
        @change=${n=>r({...e,[o.label]:n.target.value})}>
        <option value="">–</option>
        ${s.options.map(({label:n})=>h`<option value=${n} ?selected=${n===e?.[o.label]}>${n}</option>`)}
      </select>
    </div>`;return h`<div>${s.items.map(i)}</div>
      <ul class="known">
        ${s.options.map(o=>h`<li>
            <span class="letter">${o.label})</span><span class="item">${v(o.html)}</span>
          </li>`)}
      </ul>`},answer:(s,t)=>Object.fromEntries(Object.entries(t??{}).filter(([,e])=>e))};var Ye={template:({field:s,id:t,how:e,draft:r,set:i})=>h`<div class="field">
    <label class="label" for=${t}>${s.label}</label>
    <textarea
      id=${t} class="code" rows=${Math.max(8,s.source.split(`
`).length+3)}
      spellcheck="false" autocapitalize="off" aria-describedby=${e}
      .value=${_(r??s.source)} @input=${o=>i(o.target.value)}></textarea>
  </div>`,answer:(s,t)=>t==null||t===s.source?null:t};var Xe={template:({field:s,id:t,how:e,draft:r,set:i})=>h`<div class="field">
    <label class="label" for=${t}>${s.label}</label>
    <select id=${t} aria-describedby=${e} .value=${_(r??"")} @change=${o=>i(o.target.value)}>
      <option value="">–</option>
      ${s.values.map(o=>h`<option value=${o} ?selected=${o===r}>${o}</option>`)}
    </select>
  </div>`,answer:(s,t)=>t??""};var Je={group:Le,line:De,listing:ze,number:Be,options:Ge,order:We,pairs:Ke,program:Ye,select:Xe},Jt=s=>s.length===1&&!s[0].name,Ze=(s,t,e)=>Jt(s)?e:e?.[t.name];function nt(s,t){return s.map(e=>{let r=Jt(s)?t.path:[...t.path,e.name];return Je[e.type].template({...t,field:e,path:r,id:`${t.id}-${e.name??"0"}`,draft:Ze(s,e,t.draft),set:i=>t.change(r,i),beside:{fields:s,draft:t.draft}})})}function Ct(s,t){let e=s.map(r=>Je[r.type].answer(r,Ze(s,r,t),{fields:s,draft:t}));return Jt(s)?e[0]:Object.fromEntries(s.map((r,i)=>[r.name,e[i]]).filter(([,r])=>r!==null))}function Zt(s,[t,...e],r){return t===void 0?r:{...s,[t]:Zt(s?.[t],e,r)}}var Gs=".prose, .prose pre",Ot=class{constructor(t){this.host=t,this.sizes=new ResizeObserver(()=>this.hostUpdated()),t.addController(this)}hostConnected(){this.sizes.observe(this.host)}hostDisconnected(){this.sizes.disconnect()}hostUpdated(){for(let t of this.host.renderRoot.querySelectorAll(Gs))t.scrollWidth>t.clientWidth+1?t.tabIndex=0:t.removeAttribute("tabindex")}};var Vs=1e3,Fs="Still waiting for Python. It may be busy with another cell; if the kernel was restarted, run this cell again.";function Qt(s){return Object.assign(document.createElement("p"),{textContent:s}).outerHTML}var Qe=s=>t=>{let{type:e,key:r,target:i,isComposing:o}=t;e==="keydown"&&(r!=="Enter"||i.tagName!=="INPUT"||o)||(t.preventDefault(),s(t.currentTarget))},qt=class extends A{static styles=Y;static properties={host:{attribute:!1},given:{attribute:!1},question:{state:!0},draft:{state:!0},said:{state:!0},hints:{state:!0},solution:{state:!0},trail:{state:!0},estimate:{state:!0},isOver:{state:!0}};reach=new Ot(this);#o=0;willUpdate(t){t.has("given")&&(this.trail=[],this.#n(this.given.question),this.#r())}async#r(){let{id:t,seed:e}=this.given.question,r=this.host.draft.get(`variants ${t} ${e}`)??[];if(!r.length)return;let i=await this.#i({do:"question",seed:r.at(-1)});i.question&&(this.trail=[e,...r.slice(0,-1)].map(o=>({problem:t,seed:o})),this.#n(i.question))}#n(t){this.question=t,this.draft=this.host.draft.get(this.#a)??null,this.estimate=this.host.draft.get(this.#h)??null,this.isOver=!1,this.hints=[],this.solution="",this.#t()}get#a(){return`answer ${this.question.id} ${this.question.seed}`}get#h(){return`estimate ${this.question.id} ${this.question.seed}`}#t(t="",e=""){this.#o+=1,this.said={outcome:t,html:e}}async#i(t){let e=this.question,r=setTimeout(()=>this.#t("blank",Qt(Fs)),Vs),i=await this.host.ask({problem:e.id,seed:e.seed,...t}).catch(o=>({error:Qt(o.message)})).finally(()=>clearTimeout(r));return this.question!==e?{}:(i.error&&this.#t("broken",i.error),i)}#m=(t,e)=>{this.draft=Zt(this.draft,t,e),this.host.draft.set(this.#a,this.draft)};async#f(){let t=Ct(this.question.form.fields,this.draft),{verdict:e}=await this.#i({do:"check",answer:t,estimate:this.estimate?.typed});e&&this.#t(e.outcome,e.html+(e.more??""))}async#s(t){let{estimate:e,unreadable:r}=await this.#i({do:"estimate",answer:t});r&&this.#t("unreadable",r),e&&(this.#t(),this.estimate={typed:t,html:e},this.host.draft.set(this.#h,this.estimate))}async#e(){let{hints:t}=await this.#i({do:"hint",shown:this.hints.length});t&&(this.hints=t)}async#l(){let{solution:t}=await this.#i({do:"solution"});t&&(this.solution=t)}async#c(t,e){let r={problem:this.question.id,seed:this.question.seed},{question:i,end:o}=await this.#i(t);o&&(this.isOver=!0,this.#t("blank",o)),i&&this.#d([...this.trail,r],i,e)}async#p(){let{question:t}=await this.#i({do:"question",...this.trail.at(-1)});t&&this.#d(this.trail.slice(0,-1),t,"This is the one before, with your answer.")}#d(t,e,r){let i=e.id!==this.question.id;this.trail=t,this.#n(e),this.#t("new",Qt(r));let{id:o,seed:n}=this.given.question;if(e.id===o){let c=[...t.filter(a=>a.problem===o).map(a=>a.seed),e.seed];this.host.draft.set(`variants ${o} ${n}`,c.slice(1))}this.updateComplete.then(()=>{let c=this.renderRoot.querySelector("h3");c.scrollIntoView({block:"nearest"}),i&&c.focus()})}render(){let{question:t}=this,e=Qe(()=>this.#f());return h`
      <section aria-labelledby="title">
        <header>
          <h3 id="title" tabindex="-1">${t.title}</h3>
          <span class="quiet">${t.points}</span>
        </header>
        <div class="prose">${v(t.prompt)}</div>
        ${t.estimated_first?this.#u():f}
        <form novalidate @submit=${e} @keydown=${e}>
          ${t.form.html?h`<div class="prose">${v(t.form.html)}</div>`:f}
          <p id="how" class="quiet">${t.form.how}</p>
          ${Xt(this.#a,h`<div class="fields">
              ${nt(t.form.fields,{id:"answer",how:"how",path:[],draft:this.draft,change:this.#m,ask:r=>this.host.ask({problem:t.id,seed:t.seed,...r}),settled:()=>this.updateComplete})}
            </div>`)}
          <div class="buttons"><button class="primary">Check</button></div>
        </form>
        <div role="status" class="prose said" data-outcome=${this.said.outcome}>
          ${Xt(this.#o,h`<div>${v(this.said.html)}</div>`)}
        </div>
        ${this.#g()}
        <div aria-live="polite">
          ${this.hints.map(r=>h`<div class="prose more">${v(r)}</div>`)}
        </div>
        <div aria-live="polite">
          ${this.solution?h`<div class="prose more">${v(this.solution)}</div>`:f}
        </div>
      </section>
    `}#u(){if(this.estimate)return h`<div class="estimate quiet">Your estimate: ${v(this.estimate.html)}</div>`;let t=Qe(e=>this.#s(e.elements.estimate.value));return h`<details class="estimate">
      <summary>Estimate first</summary>
      <form novalidate @submit=${t} @keydown=${t}>
        <label for="estimate">Before you compute: about how much is it?</label>
        <div class="row">
          <input type="text" id="estimate" class="quantity" autocomplete="off" spellcheck="false" />
          <button>Commit</button>
        </div>
      </form>
    </details>`}#g(){let t=this.question.hints-this.hints.length,e=this.said.outcome==="correct",r=(i,o,{off:n=!1,primary:c=!1}={})=>h`<button
        type="button" class=${c?"primary":"plain"} aria-disabled=${n?"true":"false"}
        @click=${()=>n||o()}>${i}</button>`;return h`
      <div class="buttons" role="group" aria-label="Go on">
        ${r(t>0?`Hint (${t} left)`:"No more hints",()=>this.#e(),{off:t<=0})}
        ${r("Solution",()=>this.#l(),{off:this.solution!==""})}
        ${r("Another",()=>this.#c({do:"another"},"The same with new numbers."))}
        ${this.trail.length?r("Back",()=>this.#p()):f}
        ${r("Next",()=>this.#c({do:"next"},"The next problem of this chapter."),{off:this.isOver,primary:e&&!this.isOver})}
      </div>
    `}};var Ws={figure:At,planner:Pt,problem:qt},te=s=>`shardwise-${s}-620449c8f1a1`;for(let[s,t]of Object.entries(Ws))customElements.get(te(s))||customElements.define(te(s),t);function ee(s,t,e){return Object.assign(document.createElement(te(s)),{className:"shardwise",host:t,given:e})}var Ks="Python cannot be reached. If the kernel was restarted or has stopped, run this cell again.",Ys=300;function Xs({model:s,el:t}){let e=Js(s),r=Zs(s),i=sr(t);er(t,()=>s.widget_manager?.context?.save()),t.append(ee(s.get("what"),{ask:e.ask,draft:r},s.get("given")));for(let o of document.querySelectorAll(`.shardwise-waits[data-token="${s.get("token")}"]`))o.hidden=!0;return()=>{r.flush(),e.close(),i.disconnect()}}function Js(s){let t=new Map,e=crypto.randomUUID(),r=0,i=null,o=d=>{t.get(d?.id)?.resolve(d.reply),t.delete(d?.id)},n=()=>{for(let{reject:d}of t.values())d(new Error(Ks));t.clear(),i=null},c=()=>{let d=s.widget_manager?.kernel?.createComm?.("shardwise");return d?(d.onMsg=m=>o(m.content.data),d.onClose=n,d.open({form:s.get("token")}),d):null},a=d=>{i??=c(),i?i.send(d):s.send(d)};return s.on("msg:custom",o),{ask:d=>new Promise((m,$)=>{r+=1;let u=`${e}-${r}`;t.set(u,{resolve:m,reject:$});try{a({id:u,request:d})}catch{n()}}),close:()=>{s.off("msg:custom",o),i&&(i.onClose=null),i?.close()}}}function Zs(s){let t=s.widget_manager?.context?.model,e=t?.setMetadata&&t.getMetadata?Qs(t):tr(s),r={},i,o=()=>{clearTimeout(i),Object.keys(r).length&&e.write({...e.read(),...r}),r={}};return{get:n=>r[n]??e.read()[n],set(n,c){r[n]=c,clearTimeout(i),i=setTimeout(o,Ys)},flush:o}}function Qs(s){let t=()=>s.getMetadata("shardwise")??{};return{read:()=>t().drafts??{},write:e=>s.setMetadata("shardwise",{...t(),drafts:e})}}function tr(s){return{read:()=>s.get("drafts")??{},write(t){s.set("drafts",t),s.save_changes()}}}function er(s,t){s.dataset.lmSuppressShortcuts="true",s.addEventListener("keydown",e=>{e.stopPropagation(),(e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="s"&&(e.preventDefault(),t())})}function sr(s){let t=()=>{let{jpThemeLight:r,vscodeThemeKind:i}=document.body.dataset,o=r==="false"||i?.includes("dark")||document.documentElement.getAttribute("theme")==="dark";s.style.colorScheme=o?"dark":"light"};t();let e=new MutationObserver(t);return e.observe(document.body,{attributes:!0}),e.observe(document.documentElement,{attributes:!0}),e}export{Xs as inJupyter,ee as show};
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
