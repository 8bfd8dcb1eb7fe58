// What the portal's pages do better with a script; without one they lose nothing but these.

// Copies the text beside a button and says so.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const code = button.parentElement.querySelector('code');
    await navigator.clipboard.writeText(code.textContent);
    const told = button.querySelector('[role=status]');
    button.dataset.copied = '';
    told.textContent = 'Copied';
    setTimeout(() => {
      delete button.dataset.copied;
      told.textContent = '';
    }, 2000);
  });
}

// Changes the theme in place, so that nothing typed is lost.
for (const form of document.querySelectorAll('form[data-themes]')) {
  form.addEventListener('submit', async (event) => {
    const { submitter } = event;
    if (!submitter) return;
    event.preventDefault();
    document.documentElement.dataset.theme = submitter.value;
    for (const button of form.querySelectorAll('button')) button.setAttribute('aria-pressed', String(button === submitter));
    await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form, submitter)), redirect: 'manual' });
  });
}
