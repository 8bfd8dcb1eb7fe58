// The list of test cards copies a number on a click.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    const status = document.getElementById('copied')
    try {
      await navigator.clipboard.writeText(button.dataset.copy.replaceAll(' ', ''))
      status.textContent = `Copied ${button.dataset.copy}.`
    } catch {
      status.textContent = 'This browser did not let the page copy. Please select the number.'
    }
  })
}
