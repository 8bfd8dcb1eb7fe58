// The card field of the quick start, with the visitor's own public key. The library comes from the pay origin,
// on this page alone.
const place = document.querySelector('[data-start]');

function style() {
  const css = getComputedStyle(place);
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return {
    base: { color: css.color, fontSize: '16px', '::placeholder': { color: color('--muted-foreground') } },
    invalid: { color: color('--destructive') },
  };
}

function complain(words) {
  const mistake = place.querySelector('[data-mistake]');
  mistake.textContent = words;
  mistake.hidden = !words;
}

async function start() {
  const { key, merchant, first, last, incomplete, failed, unavailable } = place.dataset;
  const pay = window.SvcPay && new window.SvcPay(key, Number(merchant));
  if (!pay || !(await pay.canMakePayments())) {
    complain([unavailable, pay?.lastError?.message].filter(Boolean).join(' '));
    return;
  }
  const field = pay.createField('card', { style: style(), hideBorders: true });
  let complete = false;
  field.on('change', (state) => {
    complete = state.complete;
    complain(state.error?.message ?? '');
  });
  field.mount(place.querySelector('[data-field]'));
  const make = place.querySelector('[data-make]');
  make.disabled = false;
  make.addEventListener('click', async () => {
    if (!complete) {
      complain(incomplete);
      field.focus();
      return;
    }
    make.ariaBusy = 'true';
    const { token, error } = await pay.createToken(field, { first_name: first, last_name: last });
    make.ariaBusy = null;
    if (error) {
      complain(`${failed} ${error.message}`);
      return;
    }
    complain('');
    const id = token.id ?? token;
    place.querySelector('[data-token]').textContent = id;
    place.querySelector('[data-made]').hidden = false;
    const command = document.querySelector('#start-charge code');
    command.textContent = command.textContent.replace(/tok_[a-z0-9…]+/, id);
  });
}

if (place) addEventListener('load', start);
