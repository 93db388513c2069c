import{Ct as e,Et as t,It as n,Mt as r,Nt as i,Pt as a,St as o,Tt as s,bt as c,ct as l,et as u,ht as d,jt as f,kt as p,rt as m,st as h,tt as g,ut as _}from"./address.svelte.js";var v=Symbol(`lesson`);function y(e){a(v,e)}function b(){return f(v)}function x(e){let t=new Set,n=new Map,[r,i,a,o]=[``,``,``,!0];for(let s of w(e))if(/^(import|from) \S/.test(s))t.add(s);else if(s.startsWith(`#`))i+=`${s}\n`;else if(s===``)o=!0;else{let e=/^(?:def )?(\w+)(?:\(| = )/.exec(s)?.[1];if(e&&n.get(e)===s)continue;e&&n.set(e,s);let t=S(s)||S(a)?`


`:o||i?`

`:`
`;r+=(a&&t)+i+s,[i,a,o]=[``,s,!1]}return[[...t].sort((e,t)=>Number(C(e))-Number(C(t))).join(`
`),r].filter(Boolean).join(/^(#.*\n)*def /.test(r)?`


`:`

`)}var S=e=>e.startsWith(`def `),C=e=>e.includes(`rowspace`);function w(e){let t=[];for(let n of e.split(`
`))/^[\s)\]}]/.test(n)&&t.length?t[t.length-1]+=`\n${n}`:t.push(n);return t}var T=m(`<div class="svelte-5tbw3"><button type="button" class="svelte-5tbw3"> </button> <pre tabindex="0" aria-label="Python" class="svelte-5tbw3"><code> </code></pre></div>`);function E(a,f){i(f,!0);let m=p(()=>x(f.code)),h=t(!1);async function v(){await navigator.clipboard.writeText(_(m)),s(h,!0),setTimeout(()=>s(h,!1),1500)}var y=T(),b=c(y),S=o(b,!0),C=e(b,2),w=c(C),E=o(w,!0);n(C),n(y),d(()=>{u(S,_(h)?`Copied`:`Copy`),u(E,_(m))}),l(`click`,b,v),g(a,y),r()}h([`click`]);export{b as n,y as r,E as t};