// Passkeys: the browser asks the device, and the form sends what it answered. Without them, or without a script, these
// forms are not shown.
import { all, appear, on } from './on.js';

const able = window.PublicKeyCredential?.parseRequestOptionsFromJSON;

appear((root) => {
  if (!able) return;
  for (const way of all(root, '[data-passkey], [data-prove]')) way.hidden = false;
});

/** Asks the service what to ask the device, asks the device, and returns both answers as the form sends them. */
async function ask(address) {
  const answer = await fetch(address, { method: 'POST' });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const { token, options } = await answer.json();
  const credential = options.user
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return [token, JSON.stringify(credential)];
}

/** Says in the form that nothing came of it. */
function failed(form, words) {
  form.querySelector('.passkey-failed')?.remove();
  const told = document.createElement('p');
  told.className = 'field-error passkey-failed';
  told.setAttribute('role', 'alert');
  told.textContent = words;
  form.append(told);
}

async function send(form, address, words, prefix) {
  try {
    const [token, credential] = await ask(address);
    form.elements[`${prefix}challenge`].value = token;
    form.elements[`${prefix}passkey`].value = credential;
    form.submit();
  } catch {
    failed(form, words);
  }
}

on('submit', 'form[data-passkey]', (form, event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  send(form, form.dataset.passkey, form.dataset.failed, '');
}, true);

on('click', '[data-prove]', (button) => send(button.form, button.dataset.prove, button.dataset.failed, 'proof_'));
