// Changes the theme in place, so that nothing typed is lost.
import { on } from './on.js';

on('submit', 'form[data-themes]', async (form, event) => {
  const { submitter } = event;
  if (!submitter) return;
  event.preventDefault();
  document.documentElement.dataset.theme = submitter.value;
  for (const button of form.querySelectorAll('button'))
    button.setAttribute('aria-pressed', String(button === submitter));
  await fetch(form.action, {
    method: 'POST',
    body: new URLSearchParams(new FormData(form, submitter)),
    redirect: 'manual',
  });
});
