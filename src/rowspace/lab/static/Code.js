import{At as e,Ct as t,Dt as n,Et as r,Ft as i,Lt as a,Mt as o,Nt as s,Pt as c,ct as l,dt as u,gt as d,it as f,lt as p,nt as m,tt as h,wt as g,xt as _}from"./address.svelte.js";var v=Symbol(`lesson`);function y(e){i(v,e)}function b(){return o(v)}function x(e){let t=new Set,n=new Map,[r,i,a,o]=[``,``,``,!0];for(let s of w(e))if(/^(import|from) \S/.test(s))t.add(s);else if(s.startsWith(`#`))i+=`${s}\n`;else if(s===``)o=!0;else{let e=/^(?:def )?(\w+)(?:\(| = )/.exec(s)?.[1];if(e&&n.get(e)===s)continue;e&&n.set(e,s);let t=S(s)||S(a)?`


`:o||i?`

`:`
`;r+=(a&&t)+i+s,[i,a,o]=[``,s,!1]}return[[...t].sort((e,t)=>Number(C(e))-Number(C(t))).join(`
`),r].filter(Boolean).join(/^(#.*\n)*def /.test(r)?`


`:`

`)}var S=e=>e.startsWith(`def `),C=e=>e.includes(`rowspace`);function w(e){let t=[];for(let n of e.split(`
`))/^[\s)\]}]/.test(n)&&t.length?t[t.length-1]+=`\n${n}`:t.push(n);return t}var T=f(`<div class="svelte-5tbw3"><button type="button" class="svelte-5tbw3"> </button> <pre tabindex="0" aria-label="Python" class="svelte-5tbw3"><code> </code></pre></div>`);function E(i,o){c(o,!0);let l=e(()=>x(o.code)),f=n(!1);async function v(){await navigator.clipboard.writeText(u(l)),r(f,!0),setTimeout(()=>r(f,!1),1500)}var y=T(),b=_(y),S=t(b,!0),C=g(b,2),w=_(C),E=t(w,!0);a(C),a(y),d(()=>{h(S,u(f)?`Copied`:`Copy`),h(E,u(l))}),p(`click`,b,v),m(i,y),s()}l([`click`]);export{b as n,y as r,E as t};