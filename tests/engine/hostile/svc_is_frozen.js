// expect: ok []
function main() {
  'use strict';
  const attempts = {
    replaceSvc: () => { globalThis.Svc = 1; }, deleteSvc: () => { delete globalThis.Svc; }, redefineSvc: () => Object.defineProperty(globalThis, 'Svc', { value: 1 }),
    replaceActions: () => { Svc.Actions = 1; }, replaceFunction: () => { Svc.Actions.signMessage = 1; }, addFunction: () => { Svc.Actions.extra = 1; },
    replaceShort: () => { globalThis.SvcActions = 1; }, prototypeOfActions: () => Object.setPrototypeOf(Svc.Actions, null),
    headers: () => { SvcHeaders['X-Request-Id'] = 'forged'; }, functionProperty: () => { Svc.Actions.signMessage.x = 1; },
  };
  return Object.keys(attempts).filter((name) => { try { attempts[name](); return true; } catch { return false; } });
}
