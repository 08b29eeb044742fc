// Built from desk/ by "make desk"; not to be edited. Digest of the sources: 9bc5523a5dc4
var V=globalThis,K=V.ShadowRoot&&(V.ShadyCSS===void 0||V.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,it=Symbol(),_t=new WeakMap,R=class{constructor(t,e,i){if(this._$cssResult$=!0,i!==it)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=t,this.t=e}get styleSheet(){let t=this.o,e=this.t;if(K&&t===void 0){let i=e!==void 0&&e.length===1;i&&(t=_t.get(e)),t===void 0&&((this.o=t=new CSSStyleSheet).replaceSync(this.cssText),i&&_t.set(e,t))}return t}toString(){return this.cssText}},At=s=>new R(typeof s=="string"?s:s+"",void 0,it),rt=(s,...t)=>{let e=s.length===1?s[0]:t.reduce((i,r,o)=>i+(n=>{if(n._$cssResult$===!0)return n.cssText;if(typeof n=="number")return n;throw Error("Value passed to 'css' function must be a 'css' function result: "+n+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(r)+s[o+1],s[0]);return new R(e,s,it)},xt=(s,t)=>{if(K)s.adoptedStyleSheets=t.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let e of t){let i=document.createElement("style"),r=V.litNonce;r!==void 0&&i.setAttribute("nonce",r),i.textContent=e.cssText,s.appendChild(i)}},ot=K?s=>s:s=>s instanceof CSSStyleSheet?(t=>{let e="";for(let i of t.cssRules)e+=i.cssText;return At(e)})(s):s;var{is:oe,defineProperty:ne,getOwnPropertyDescriptor:ae,getOwnPropertyNames:le,getOwnPropertySymbols:ce,getPrototypeOf:he}=Object,W=globalThis,wt=W.trustedTypes,de=wt?wt.emptyScript:"",pe=W.reactiveElementPolyfillSupport,L=(s,t)=>s,nt={toAttribute(s,t){switch(t){case Boolean:s=s?de:null;break;case Object:case Array:s=s==null?s:JSON.stringify(s)}return s},fromAttribute(s,t){let e=s;switch(t){case Boolean:e=s!==null;break;case Number:e=s===null?null:Number(s);break;case Object:case Array:try{e=JSON.parse(s)}catch{e=null}}return e}},St=(s,t)=>!oe(s,t),Et={attribute:!0,type:String,converter:nt,reflect:!1,useDefault:!1,hasChanged:St};Symbol.metadata??=Symbol("metadata"),W.litPropertyMetadata??=new WeakMap;var x=class extends HTMLElement{static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(t,e=Et){if(e.state&&(e.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(t)&&((e=Object.create(e)).wrapped=!0),this.elementProperties.set(t,e),!e.noAccessor){let i=Symbol(),r=this.getPropertyDescriptor(t,i,e);r!==void 0&&ne(this.prototype,t,r)}}static getPropertyDescriptor(t,e,i){let{get:r,set:o}=ae(this.prototype,t)??{get(){return this[e]},set(n){this[e]=n}};return{get:r,set(n){let l=r?.call(this);o?.call(this,n),this.requestUpdate(t,l,i)},configurable:!0,enumerable:!0}}static getPropertyOptions(t){return this.elementProperties.get(t)??Et}static _$Ei(){if(this.hasOwnProperty(L("elementProperties")))return;let t=he(this);t.finalize(),t.l!==void 0&&(this.l=[...t.l]),this.elementProperties=new Map(t.elementProperties)}static finalize(){if(this.hasOwnProperty(L("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(L("properties"))){let e=this.properties,i=[...le(e),...ce(e)];for(let r of i)this.createProperty(r,e[r])}let t=this[Symbol.metadata];if(t!==null){let e=litPropertyMetadata.get(t);if(e!==void 0)for(let[i,r]of e)this.elementProperties.set(i,r)}this._$Eh=new Map;for(let[e,i]of this.elementProperties){let r=this._$Eu(e,i);r!==void 0&&this._$Eh.set(r,e)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(t){let e=[];if(Array.isArray(t)){let i=new Set(t.flat(1/0).reverse());for(let r of i)e.unshift(ot(r))}else t!==void 0&&e.push(ot(t));return e}static _$Eu(t,e){let i=e.attribute;return i===!1?void 0:typeof i=="string"?i:typeof t=="string"?t.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(t=>this.enableUpdating=t),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(t=>t(this))}addController(t){(this._$EO??=new Set).add(t),this.renderRoot!==void 0&&this.isConnected&&t.hostConnected?.()}removeController(t){this._$EO?.delete(t)}_$E_(){let t=new Map,e=this.constructor.elementProperties;for(let i of e.keys())this.hasOwnProperty(i)&&(t.set(i,this[i]),delete this[i]);t.size>0&&(this._$Ep=t)}createRenderRoot(){let t=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return xt(t,this.constructor.elementStyles),t}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(t=>t.hostConnected?.())}enableUpdating(t){}disconnectedCallback(){this._$EO?.forEach(t=>t.hostDisconnected?.())}attributeChangedCallback(t,e,i){this._$AK(t,i)}_$ET(t,e){let i=this.constructor.elementProperties.get(t),r=this.constructor._$Eu(t,i);if(r!==void 0&&i.reflect===!0){let o=(i.converter?.toAttribute!==void 0?i.converter:nt).toAttribute(e,i.type);this._$Em=t,o==null?this.removeAttribute(r):this.setAttribute(r,o),this._$Em=null}}_$AK(t,e){let i=this.constructor,r=i._$Eh.get(t);if(r!==void 0&&this._$Em!==r){let o=i.getPropertyOptions(r),n=typeof o.converter=="function"?{fromAttribute:o.converter}:o.converter?.fromAttribute!==void 0?o.converter:nt;this._$Em=r;let l=n.fromAttribute(e,o.type);this[r]=l??this._$Ej?.get(r)??l,this._$Em=null}}requestUpdate(t,e,i,r=!1,o){if(t!==void 0){let n=this.constructor;if(r===!1&&(o=this[t]),i??=n.getPropertyOptions(t),!((i.hasChanged??St)(o,e)||i.useDefault&&i.reflect&&o===this._$Ej?.get(t)&&!this.hasAttribute(n._$Eu(t,i))))return;this.C(t,e,i)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(t,e,{useDefault:i,reflect:r,wrapped:o},n){i&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,n??e??this[t]),o!==!0||n!==void 0)||(this._$AL.has(t)||(this.hasUpdated||i||(e=void 0),this._$AL.set(t,e)),r===!0&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.reject(e)}let t=this.scheduleUpdate();return t!=null&&await t,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[r,o]of this._$Ep)this[r]=o;this._$Ep=void 0}let i=this.constructor.elementProperties;if(i.size>0)for(let[r,o]of i){let{wrapped:n}=o,l=this[r];n!==!0||this._$AL.has(r)||l===void 0||this.C(r,void 0,o,l)}}let t=!1,e=this._$AL;try{t=this.shouldUpdate(e),t?(this.willUpdate(e),this._$EO?.forEach(i=>i.hostUpdate?.()),this.update(e)):this._$EM()}catch(i){throw t=!1,this._$EM(),i}t&&this._$AE(e)}willUpdate(t){}_$AE(t){this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),this.updated(t)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(t){return!0}update(t){this._$Eq&&=this._$Eq.forEach(e=>this._$ET(e,this[e])),this._$EM()}updated(t){}firstUpdated(t){}};x.elementStyles=[],x.shadowRootOptions={mode:"open"},x[L("elementProperties")]=new Map,x[L("finalized")]=new Map,pe?.({ReactiveElement:x}),(W.reactiveElementVersions??=[]).push("2.1.2");var lt=globalThis,kt=s=>s,F=lt.trustedTypes,Tt=F?F.createPolicy("lit-html",{createHTML:s=>s}):void 0,ct="$lit$",w=`lit$${Math.random().toFixed(9).slice(2)}$`,ht="?"+w,ue=`<${ht}>`,P=document,D=()=>P.createComment(""),j=s=>s===null||typeof s!="object"&&typeof s!="function",dt=Array.isArray,Ht=s=>dt(s)||typeof s?.[Symbol.iterator]=="function",at=`[ 	
\f\r]`,q=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Ct=/-->/g,Pt=/>/g,T=RegExp(`>|${at}(?:([^\\s"'>=/]+)(${at}*=${at}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Mt=/'/g,Ot=/"/g,Nt=/^(?:script|style|textarea|title)$/i,pt=s=>(t,...e)=>({_$litType$:s,strings:t,values:e}),h=pt(1),He=pt(2),Ne=pt(3),g=Symbol.for("lit-noChange"),p=Symbol.for("lit-nothing"),Ut=new WeakMap,C=P.createTreeWalker(P,129);function Rt(s,t){if(!dt(s)||!s.hasOwnProperty("raw"))throw Error("invalid template strings array");return Tt!==void 0?Tt.createHTML(t):t}var Lt=(s,t)=>{let e=s.length-1,i=[],r,o=t===2?"<svg>":t===3?"<math>":"",n=q;for(let l=0;l<e;l++){let a=s[l],d,u,c=-1,f=0;for(;f<a.length&&(n.lastIndex=f,u=n.exec(a),u!==null);)f=n.lastIndex,n===q?u[1]==="!--"?n=Ct:u[1]!==void 0?n=Pt:u[2]!==void 0?(Nt.test(u[2])&&(r=RegExp("</"+u[2],"g")),n=T):u[3]!==void 0&&(n=T):n===T?u[0]===">"?(n=r??q,c=-1):u[1]===void 0?c=-2:(c=n.lastIndex-u[2].length,d=u[1],n=u[3]===void 0?T:u[3]==='"'?Ot:Mt):n===Ot||n===Mt?n=T:n===Ct||n===Pt?n=q:(n=T,r=void 0);let m=n===T&&s[l+1].startsWith("/>")?" ":"";o+=n===q?a+ue:c>=0?(i.push(d),a.slice(0,c)+ct+a.slice(c)+w+m):a+w+(c===-2?l:m)}return[Rt(s,o+(s[e]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),i]},I=class s{constructor({strings:t,_$litType$:e},i){let r;this.parts=[];let o=0,n=0,l=t.length-1,a=this.parts,[d,u]=Lt(t,e);if(this.el=s.createElement(d,i),C.currentNode=this.el.content,e===2||e===3){let c=this.el.content.firstChild;c.replaceWith(...c.childNodes)}for(;(r=C.nextNode())!==null&&a.length<l;){if(r.nodeType===1){if(r.hasAttributes())for(let c of r.getAttributeNames())if(c.endsWith(ct)){let f=u[n++],m=r.getAttribute(c).split(w),$=/([.?@])?(.*)/.exec(f);a.push({type:1,index:o,name:$[2],strings:m,ctor:$[1]==="."?G:$[1]==="?"?J:$[1]==="@"?Q:O}),r.removeAttribute(c)}else c.startsWith(w)&&(a.push({type:6,index:o}),r.removeAttribute(c));if(Nt.test(r.tagName)){let c=r.textContent.split(w),f=c.length-1;if(f>0){r.textContent=F?F.emptyScript:"";for(let m=0;m<f;m++)r.append(c[m],D()),C.nextNode(),a.push({type:2,index:++o});r.append(c[f],D())}}}else if(r.nodeType===8)if(r.data===ht)a.push({type:2,index:o});else{let c=-1;for(;(c=r.data.indexOf(w,c+1))!==-1;)a.push({type:7,index:o}),c+=w.length-1}o++}}static createElement(t,e){let i=P.createElement("template");return i.innerHTML=t,i}};function M(s,t,e=s,i){if(t===g)return t;let r=i!==void 0?e._$Co?.[i]:e._$Cl,o=j(t)?void 0:t._$litDirective$;return r?.constructor!==o&&(r?._$AO?.(!1),o===void 0?r=void 0:(r=new o(s),r._$AT(s,e,i)),i!==void 0?(e._$Co??=[])[i]=r:e._$Cl=r),r!==void 0&&(t=M(s,r._$AS(s,t.values),r,i)),t}var Y=class{constructor(t,e){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=e}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:e},parts:i}=this._$AD,r=(t?.creationScope??P).importNode(e,!0);C.currentNode=r;let o=C.nextNode(),n=0,l=0,a=i[0];for(;a!==void 0;){if(n===a.index){let d;a.type===2?d=new U(o,o.nextSibling,this,t):a.type===1?d=new a.ctor(o,a.name,a.strings,this,t):a.type===6&&(d=new Z(o,this,t)),this._$AV.push(d),a=i[++l]}n!==a?.index&&(o=C.nextNode(),n++)}return C.currentNode=P,r}p(t){let e=0;for(let i of this._$AV)i!==void 0&&(i.strings!==void 0?(i._$AI(t,i,e),e+=i.strings.length-2):i._$AI(t[e])),e++}},U=class s{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,e,i,r){this.type=2,this._$AH=p,this._$AN=void 0,this._$AA=t,this._$AB=e,this._$AM=i,this.options=r,this._$Cv=r?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,e=this._$AM;return e!==void 0&&t?.nodeType===11&&(t=e.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,e=this){t=M(this,t,e),j(t)?t===p||t==null||t===""?(this._$AH!==p&&this._$AR(),this._$AH=p):t!==this._$AH&&t!==g&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):Ht(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==p&&j(this._$AH)?this._$AA.nextSibling.data=t:this.T(P.createTextNode(t)),this._$AH=t}$(t){let{values:e,_$litType$:i}=t,r=typeof i=="number"?this._$AC(t):(i.el===void 0&&(i.el=I.createElement(Rt(i.h,i.h[0]),this.options)),i);if(this._$AH?._$AD===r)this._$AH.p(e);else{let o=new Y(r,this),n=o.u(this.options);o.p(e),this.T(n),this._$AH=o}}_$AC(t){let e=Ut.get(t.strings);return e===void 0&&Ut.set(t.strings,e=new I(t)),e}k(t){dt(this._$AH)||(this._$AH=[],this._$AR());let e=this._$AH,i,r=0;for(let o of t)r===e.length?e.push(i=new s(this.O(D()),this.O(D()),this,this.options)):i=e[r],i._$AI(o),r++;r<e.length&&(this._$AR(i&&i._$AB.nextSibling,r),e.length=r)}_$AR(t=this._$AA.nextSibling,e){for(this._$AP?.(!1,!0,e);t!==this._$AB;){let i=kt(t).nextSibling;kt(t).remove(),t=i}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},O=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,e,i,r,o){this.type=1,this._$AH=p,this._$AN=void 0,this.element=t,this.name=e,this._$AM=r,this.options=o,i.length>2||i[0]!==""||i[1]!==""?(this._$AH=Array(i.length-1).fill(new String),this.strings=i):this._$AH=p}_$AI(t,e=this,i,r){let o=this.strings,n=!1;if(o===void 0)t=M(this,t,e,0),n=!j(t)||t!==this._$AH&&t!==g,n&&(this._$AH=t);else{let l=t,a,d;for(t=o[0],a=0;a<o.length-1;a++)d=M(this,l[i+a],e,a),d===g&&(d=this._$AH[a]),n||=!j(d)||d!==this._$AH[a],d===p?t=p:t!==p&&(t+=(d??"")+o[a+1]),this._$AH[a]=d}n&&!r&&this.j(t)}j(t){t===p?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},G=class extends O{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===p?void 0:t}},J=class extends O{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==p)}},Q=class extends O{constructor(t,e,i,r,o){super(t,e,i,r,o),this.type=5}_$AI(t,e=this){if((t=M(this,t,e,0)??p)===g)return;let i=this._$AH,r=t===p&&i!==p||t.capture!==i.capture||t.once!==i.once||t.passive!==i.passive,o=t!==p&&(i===p||r);r&&this.element.removeEventListener(this.name,this,i),o&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},Z=class{constructor(t,e,i){this.element=t,this.type=6,this._$AN=void 0,this._$AM=e,this.options=i}get _$AU(){return this._$AM._$AU}_$AI(t){M(this,t)}},qt={M:ct,P:w,A:ht,C:1,L:Lt,R:Y,D:Ht,V:M,I:U,H:O,N:J,U:Q,B:G,F:Z},me=lt.litHtmlPolyfillSupport;me?.(I,U),(lt.litHtmlVersions??=[]).push("3.3.3");var Dt=(s,t,e)=>{let i=e?.renderBefore??t,r=i._$litPart$;if(r===void 0){let o=e?.renderBefore??null;i._$litPart$=r=new U(t.insertBefore(D(),o),o,void 0,e??{})}return r._$AI(s),r};var ut=globalThis,E=class extends x{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let t=super.createRenderRoot();return this.renderOptions.renderBefore??=t.firstChild,t}update(t){let e=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(t),this._$Do=Dt(e,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return g}};E._$litElement$=!0,E.finalized=!0,ut.litElementHydrateSupport?.({LitElement:E});var fe=ut.litElementPolyfillSupport;fe?.({LitElement:E});(ut.litElementVersions??=[]).push("4.2.2");var y={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},S=s=>(...t)=>({_$litDirective$:s,values:t}),_=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,e,i){this._$Ct=t,this._$AM=e,this._$Ci=i}_$AS(t,e){return this.update(t,e)}update(t,e){return this.render(...e)}};var{I:$e}=qt,jt=s=>s;var Bt=s=>s.strings===void 0,It=()=>document.createComment(""),H=(s,t,e)=>{let i=s._$AA.parentNode,r=t===void 0?s._$AB:t._$AA;if(e===void 0){let o=i.insertBefore(It(),r),n=i.insertBefore(It(),r);e=new $e(o,n,s,s.options)}else{let o=e._$AB.nextSibling,n=e._$AM,l=n!==s;if(l){let a;e._$AQ?.(s),e._$AM=s,e._$AP!==void 0&&(a=s._$AU)!==n._$AU&&e._$AP(a)}if(o!==r||l){let a=e._$AA;for(;a!==o;){let d=jt(a).nextSibling;jt(i).insertBefore(a,r),a=d}}}return e},k=(s,t,e=s)=>(s._$AI(t,e),s),ge={},N=(s,t=ge)=>s._$AH=t,zt=s=>s._$AH,X=s=>{s._$AR(),s._$AA.remove()};var mt=S(class extends _{constructor(){super(...arguments),this.key=p}render(s,t){return this.key=s,t}update(s,[t,e]){return t!==this.key&&(N(s),this.key=t),e}});var B=class extends _{constructor(t){if(super(t),this.it=p,t.type!==y.CHILD)throw Error(this.constructor.directiveName+"() can only be used in child bindings")}render(t){if(t===p||t==null)return this._t=void 0,this.it=t;if(t===g)return t;if(typeof t!="string")throw Error(this.constructor.directiveName+"() called with a non-string value");if(t===this.it)return this._t;this.it=t;let e=[t];return e.raw=e,this._t={_$litType$:this.constructor.resultType,strings:e,values:[]}}};B.directiveName="unsafeHTML",B.resultType=1;var v=S(B);var Vt={template(s){let{field:t,id:e}=s;if(!t.how)return h`<fieldset>
        <legend class="label">${t.label}</legend>
        <div class="arguments">${z(t.fields,s)}</div>
      </fieldset>`;let i=`${e}-how`;return h`<fieldset class="part">
      <legend class="label">${t.label}</legend>
      ${t.html?h`<div class="prose">${v(t.html)}</div>`:p}
      <p id=${i} class="quiet">${t.how}</p>
      ${z(t.fields,{...s,how:i})}
    </fieldset>`},answer:(s,t)=>tt(s.fields,t)};var b=S(class extends _{constructor(s){if(super(s),s.type!==y.PROPERTY&&s.type!==y.ATTRIBUTE&&s.type!==y.BOOLEAN_ATTRIBUTE)throw Error("The `live` directive is not allowed on child or event bindings");if(!Bt(s))throw Error("`live` bindings can only contain a single expression")}render(s){return s}update(s,[t]){if(t===g||t===p)return t;let e=s.element,i=s.name;if(s.type===y.PROPERTY){if(t===e[i])return g}else if(s.type===y.BOOLEAN_ATTRIBUTE){if(!!t===e.hasAttribute(i))return g}else if(s.type===y.ATTRIBUTE&&e.getAttribute(i)===t+"")return g;return N(s),t}});function Kt(s,t){let e=t.draft?.[s.mends]??0,i=t.fields.find(r=>r.name===s.mends);return{number:e,text:e?i.lines[e-1].trim():""}}var Wt={template({field:s,id:t,how:e,draft:i,set:r,beside:o}){let n=s.mends&&Kt(s,o),l=n?i?.[n.number]??n.text:i??"",a=u=>r(n?{...i,[n.number]:u}:u),d=s.note&&h`<p id="${t}-note" class="quiet">${s.note}</p>`;return h`<div class="field">
      <label class="label" for=${t}>${s.label}</label>
      <input
        type="text" id=${t} class=${s.is_code?"code":"quantity"}
        autocomplete="off" autocapitalize="off" spellcheck="false"
        aria-describedby=${d?`${t}-note`:e}
        .value=${b(l)} @input=${u=>a(u.target.value)} />
      ${d||p}
    </div>`},answer(s,t,e){if(!s.mends)return t??"";let{number:i,text:r}=Kt(s,e),o=t?.[i]??r;return o.trim()===r?"":o}};var Ft={template({field:s,id:t,draft:e,set:i}){let r=s.lines.length,o=n=>{let l={ArrowDown:Math.min(r,(e??0)+1),ArrowUp:Math.max(1,(e??r+1)-1),Home:1,End:r}[n.key];l===void 0||n.ctrlKey||n.altKey||n.metaKey||(n.preventDefault(),i(l))};return h`<div class="field">
      <div id="${t}-label" class="label">${s.label}</div>
      <div
        role="listbox" tabindex="0" class="listing" aria-labelledby="${t}-label"
        aria-activedescendant=${e?`${t}-line-${e}`:p} @keydown=${o}>
        ${s.lines.map((n,l)=>h`<div
            role="option" id="${t}-line-${l+1}" class="line"
            aria-selected=${l+1===e?"true":"false"} @click=${()=>i(l+1)}>
            <span class="number">${l+1}</span><code>${n}</code>
          </div>`)}
      </div>
    </div>`},answer:(s,t)=>t??null};var Yt={template:({field:s,id:t,draft:e,set:i})=>h`<div class="field">
    <label for=${t}><code>${s.label}</code></label>
    <input
      type="text" id=${t} inputmode=${s.is_whole?"numeric":"decimal"}
      autocomplete="off" spellcheck="false" aria-describedby="${t}-range"
      .value=${b(e??"")} @input=${r=>i(r.target.value)} />
    <span id="${t}-range" class="quiet">${s.range}</span>
  </div>`,answer(s,t){let e=(t??"").trim();return e===""?null:Number.isFinite(Number(e))?Number(e):e}};var Gt={template({field:s,id:t,how:e,draft:i,set:r}){let o=s.pick==="one",n=i??[],l=(a,d)=>{let u=o?[]:n.filter(c=>c!==a);return s.options.map(c=>c.label).filter(c=>u.includes(c)||d&&c===a)};return h`<fieldset aria-labelledby=${e}>
      ${s.options.map(a=>h`<label class="option">
          <input
            type=${o?"radio":"checkbox"} name=${t} value=${a.label}
            .checked=${b(n.includes(a.label))}
            @change=${d=>r(l(a.label,d.target.checked))} />
          <span class="letter">${a.label})</span>
          <span>${v(a.html)}</span>
        </label>`)}
    </fieldset>`},answer:(s,t)=>t??[]};var Jt=(s,t,e)=>{let i=new Map;for(let r=t;r<=e;r++)i.set(s[r],r);return i},Qt=S(class extends _{constructor(s){if(super(s),s.type!==y.CHILD)throw Error("repeat() can only be used in text expressions")}dt(s,t,e){let i;e===void 0?e=t:t!==void 0&&(i=t);let r=[],o=[],n=0;for(let l of s)r[n]=i?i(l,n):n,o[n]=e(l,n),n++;return{values:o,keys:r}}render(s,t,e){return this.dt(s,t,e).values}update(s,[t,e,i]){let r=zt(s),{values:o,keys:n}=this.dt(t,e,i);if(!Array.isArray(r))return this.ut=n,o;let l=this.ut??=[],a=[],d,u,c=0,f=r.length-1,m=0,$=o.length-1;for(;c<=f&&m<=$;)if(r[c]===null)c++;else if(r[f]===null)f--;else if(l[c]===n[m])a[m]=k(r[c],o[m]),c++,m++;else if(l[f]===n[$])a[$]=k(r[f],o[$]),f--,$--;else if(l[c]===n[$])a[$]=k(r[c],o[$]),H(s,a[$+1],r[c]),c++,$--;else if(l[f]===n[m])a[m]=k(r[f],o[m]),H(s,r[c],r[f]),f--,m++;else if(d===void 0&&(d=Jt(n,m,$),u=Jt(l,c,f)),d.has(l[c]))if(d.has(l[f])){let A=u.get(n[m]),st=A!==void 0?r[A]:null;if(st===null){let yt=H(s,r[c]);k(yt,o[m]),a[m]=yt}else a[m]=k(st,o[m]),H(s,r[c],st),r[A]=null;m++}else X(r[f]),f--;else X(r[c]),c++;for(;m<=$;){let A=H(s,a[$+1]);k(A,o[m]),a[m++]=A}for(;c<=f;){let A=r[c++];A!==null&&X(A)}return this.ut=n,N(s,a),g}});var Zt={template({field:s,how:t,draft:e,set:i}){let r=e??s.items.map(l=>l.label),o=new Map(s.items.map(l=>[l.label,l])),n=(l,a)=>{let d=r.indexOf(l),u=d+a;if(u<0||u>=r.length)return;let c=r.toSpliced(d,1);i(c.toSpliced(u,0,l))};return h`<ol class="order" aria-labelledby=${t}>
      ${Qt(r,l=>l,l=>h`<li>
          <span class="letter">${l})</span>
          <span class="item">${v(o.get(l).html)}</span>
          <button type="button" aria-label="Move ${l} up" @click=${()=>n(l,-1)}>↑</button>
          <button type="button" aria-label="Move ${l} down" @click=${()=>n(l,1)}>↓</button>
        </li>`)}
    </ol>`},answer:(s,t)=>t??null};var Xt={template({field:s,id:t,draft:e,set:i}){let r=o=>h`<div class="pair">
      <span class="letter">${o.label}.</span>
      <span class="item">${v(o.html)}</span>
      <select
        id="${t}-${o.label}" aria-label="${o.label} belongs to"
        .value=${b(e?.[o.label]??"")}
        @change=${n=>i({...e,[o.label]:n.target.value})}>
        <option value="">–</option>
        ${s.options.map(({label:n})=>h`<option value=${n} ?selected=${n===e?.[o.label]}>${n}</option>`)}
      </select>
    </div>`;return h`<div>${s.items.map(r)}</div>
      <ul class="known">
        ${s.options.map(o=>h`<li>
            <span class="letter">${o.label})</span><span class="item">${v(o.html)}</span>
          </li>`)}
      </ul>`},answer:(s,t)=>Object.fromEntries(Object.entries(t??{}).filter(([,e])=>e))};var te={template:({field:s,id:t,how:e,draft:i,set:r})=>h`<div class="field">
    <label class="label" for=${t}>${s.label}</label>
    <textarea
      id=${t} class="code" rows=${Math.max(8,s.source.split(`
`).length+3)}
      spellcheck="false" autocapitalize="off" aria-describedby=${e}
      .value=${b(i??s.source)} @input=${o=>r(o.target.value)}></textarea>
  </div>`,answer:(s,t)=>t==null||t===s.source?null:t};var ee={template:({field:s,id:t,how:e,draft:i,set:r})=>h`<div class="field">
    <label class="label" for=${t}>${s.label}</label>
    <select id=${t} aria-describedby=${e} .value=${b(i??"")} @change=${o=>r(o.target.value)}>
      <option value="">–</option>
      ${s.values.map(o=>h`<option value=${o} ?selected=${o===i}>${o}</option>`)}
    </select>
  </div>`,answer:(s,t)=>t??""};var se={group:Vt,line:Wt,listing:Ft,number:Yt,options:Gt,order:Zt,pairs:Xt,program:te,select:ee},ft=s=>s.length===1&&!s[0].name,ie=(s,t,e)=>ft(s)?e:e?.[t.name];function z(s,t){return s.map(e=>{let i=ft(s)?t.path:[...t.path,e.name];return se[e.type].template({...t,field:e,path:i,id:`${t.id}-${e.name??"0"}`,draft:ie(s,e,t.draft),set:r=>t.change(i,r),beside:{fields:s,draft:t.draft}})})}function tt(s,t){let e=s.map(i=>se[i.type].answer(i,ie(s,i,t),{fields:s,draft:t}));return ft(s)?e[0]:Object.fromEntries(s.map((i,r)=>[i.name,e[r]]).filter(([,i])=>i!==null))}function $t(s,[t,...e],i){return t===void 0?i:{...s,[t]:$t(s?.[t],e,i)}}var re=rt`
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
`;var ve=1e3,be="Still waiting for Python. It may be busy with another cell; if the kernel was restarted, run this cell again.";function gt(s){return Object.assign(document.createElement("p"),{textContent:s}).outerHTML}var et=class extends E{static styles=re;static properties={host:{attribute:!1},given:{attribute:!1},question:{state:!0},draft:{state:!0},said:{state:!0},hints:{state:!0},solution:{state:!0},trail:{state:!0}};#r=0;willUpdate(t){t.has("given")&&(this.trail=[],this.#s(this.given.question),this.#l())}async#l(){let{id:t,seed:e}=this.given.question,i=this.host.draft.get(`variants ${t} ${e}`)??[];if(!i.length)return;let r=await this.#e({do:"question",seed:i.at(-1)});r.question&&(this.trail=[e,...i.slice(0,-1)].map(o=>({problem:t,seed:o})),this.#s(r.question))}#s(t){this.question=t,this.draft=this.host.draft.get(this.#i)??null,this.hints=[],this.solution="",this.#t()}get#i(){return`answer ${this.question.id} ${this.question.seed}`}#t(t="",e=""){this.#r+=1,this.said={outcome:t,html:e}}async#e(t){let e=this.question,i=setTimeout(()=>this.#t("blank",gt(be)),ve),r=await this.host.ask({problem:e.id,seed:e.seed,...t}).catch(o=>({error:gt(o.message)})).finally(()=>clearTimeout(i));return this.question!==e?{}:(r.error&&this.#t("broken",r.error),r)}#c=(t,e)=>{this.draft=$t(this.draft,t,e),this.host.draft.set(this.#i,this.draft)};async#o(t){t.preventDefault();let{verdict:e}=await this.#e({do:"check",answer:tt(this.question.form.fields,this.draft)});e&&this.#t(e.outcome,e.html)}async#h(){let{hints:t}=await this.#e({do:"hint",shown:this.hints.length});t&&(this.hints=t)}async#d(){let{solution:t}=await this.#e({do:"solution"});t&&(this.solution=t)}async#n(t,e){let i={problem:this.question.id,seed:this.question.seed},{question:r,end:o}=await this.#e(t);o&&this.#t("blank",o),r&&this.#a([...this.trail,i],r,e)}async#p(){let{question:t}=await this.#e({do:"question",...this.trail.at(-1)});t&&this.#a(this.trail.slice(0,-1),t,"This is the one before, with your answer.")}#a(t,e,i){let r=e.id!==this.question.id;this.trail=t,this.#s(e),this.#t("new",gt(i));let{id:o,seed:n}=this.given.question;if(e.id===o){let l=[...t.filter(a=>a.problem===o).map(a=>a.seed),e.seed];this.host.draft.set(`variants ${o} ${n}`,l.slice(1))}this.updateComplete.then(()=>{let l=this.renderRoot.querySelector("h3");l.scrollIntoView({block:"nearest"}),r&&l.focus()})}#u(t){t.key==="Enter"&&t.target.tagName==="INPUT"&&!t.isComposing&&this.#o(t)}render(){let{question:t}=this;return h`
      <section aria-labelledby="title">
        <header>
          <h3 id="title" tabindex="-1">${t.title}</h3>
          <span class="quiet">${t.points}</span>
        </header>
        <div class="prose">${v(t.prompt)}</div>
        <form novalidate @submit=${this.#o} @keydown=${this.#u}>
          ${t.form.html?h`<div class="prose">${v(t.form.html)}</div>`:p}
          <p id="how" class="quiet">${t.form.how}</p>
          ${mt(this.#i,h`<div class="fields">
              ${z(t.form.fields,{id:"answer",how:"how",path:[],draft:this.draft,change:this.#c,ask:e=>this.host.ask({problem:t.id,seed:t.seed,...e})})}
            </div>`)}
          <div class="buttons"><button class="primary">Check</button></div>
        </form>
        <div role="status" class="prose said" data-outcome=${this.said.outcome}>
          ${mt(this.#r,h`<div>${v(this.said.html)}</div>`)}
        </div>
        ${this.#m()}
        <div aria-live="polite">
          ${this.hints.map(e=>h`<div class="prose more">${v(e)}</div>`)}
        </div>
        <div aria-live="polite">
          ${this.solution?h`<div class="prose more">${v(this.solution)}</div>`:p}
        </div>
      </section>
    `}#m(){let t=this.question.hints-this.hints.length,e=(i,r,o=!1)=>h`<button type="button" aria-disabled=${o?"true":"false"} @click=${()=>o||r()}>${i}</button>`;return h`
      <div class="buttons" role="group" aria-label="Go on">
        ${e(t>0?`Hint (${t} left)`:"No more hints",()=>this.#h(),t<=0)}
        ${e("Solution",()=>this.#d(),this.solution!=="")}
        ${e("Another",()=>this.#n({do:"another"},"The same with new numbers."))}
        ${e("Next",()=>this.#n({do:"next"},"The next problem of this chapter."))}
        ${this.trail.length?e("Back",()=>this.#p()):p}
      </div>
    `}};var ye={problem:et},vt=s=>`shardwise-${s}-9bc5523a5dc4`;for(let[s,t]of Object.entries(ye))customElements.get(vt(s))||customElements.define(vt(s),t);function bt(s,t,e){return Object.assign(document.createElement(vt(s)),{className:"shardwise",host:t,given:e})}var _e="Python cannot be reached. If the kernel was restarted or has stopped, run this cell again.",Ae=300;function xe({model:s,el:t}){let e=we(s),i=Ee(s),r=Ce(t);Te(t,()=>s.widget_manager?.context?.save()),t.append(bt(s.get("what"),{ask:e.ask,draft:i},s.get("given")));for(let o of document.querySelectorAll(`.shardwise-waits[data-token="${s.get("token")}"]`))o.hidden=!0;return()=>{i.flush(),e.close(),r.disconnect()}}function we(s){let t=new Map,e=0,i=o=>{t.get(o?.id)?.(o.reply),t.delete(o?.id)};return s.on("msg:custom",i),{ask:o=>new Promise((n,l)=>{let a=`${crypto.randomUUID()}-${e++}`;t.set(a,n);try{s.send({id:a,request:o})}catch{t.delete(a),l(new Error(_e))}}),close:()=>s.off("msg:custom",i)}}function Ee(s){let t=s.widget_manager?.context?.model,e=t?.setMetadata&&t.getMetadata?Se(t):ke(s),i={},r,o=()=>{clearTimeout(r),Object.keys(i).length&&e.write({...e.read(),...i}),i={}};return{get:n=>i[n]??e.read()[n],set(n,l){i[n]=l,clearTimeout(r),r=setTimeout(o,Ae)},flush:o}}function Se(s){let t=()=>s.getMetadata("shardwise")??{};return{read:()=>t().drafts??{},write:e=>s.setMetadata("shardwise",{...t(),drafts:e})}}function ke(s){return{read:()=>s.get("drafts")??{},write(t){s.set("drafts",t),s.save_changes()}}}function Te(s,t){s.dataset.lmSuppressShortcuts="true",s.addEventListener("keydown",e=>{e.stopPropagation(),(e.ctrlKey||e.metaKey)&&e.key.toLowerCase()==="s"&&(e.preventDefault(),t())})}function Ce(s){let t=()=>{let{jpThemeLight:i,vscodeThemeKind:r}=document.body.dataset,o=i==="false"||r?.includes("dark")||document.documentElement.getAttribute("theme")==="dark";s.style.colorScheme=o?"dark":"light"};t();let e=new MutationObserver(t);return e.observe(document.body,{attributes:!0}),e.observe(document.documentElement,{attributes:!0}),e}export{xe as inJupyter,bt as show};
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
