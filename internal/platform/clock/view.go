package clock

import (
	"context"
	"maps"
	"slices"

	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// View is a share of the applications that have the same time, for work that looks for what is due:
// one application, or all except some. A statement over a view has the condition
//
//	(@only::bigint IS NULL OR application_id = @only) AND application_id <> ALL (@except::bigint[])
type View struct {
	Only   *int64
	Except []int64
	Moment instant.Moment
}

// Views divides all applications by their time: those who go by the machine's together, and each
// whose clock was moved on its own.
func (c *Clock) Views(ctx context.Context) ([]View, error) {
	ahead, err := c.moved(ctx)
	if err != nil {
		return nil, err
	}
	now := c.machine()
	shifted := slices.Sorted(maps.Keys(ahead))
	views := []View{{Except: append([]int64{}, shifted...), Moment: instant.Both(now)}}
	for _, id := range shifted {
		views = append(views,
			View{Only: &id, Except: []int64{}, Moment: instant.Moment{Machine: now, At: now.Add(ahead[id])}})
	}
	return views, nil
}

// Of is the view of one application.
func (c *Clock) Of(ctx context.Context, applicationID int64) (View, error) {
	m, err := c.Moment(ctx, applicationID)
	return View{Only: &applicationID, Except: []int64{}, Moment: m}, err
}

// Args are the named arguments of a statement over the view, with further ones.
func (v View) Args(more pg.Args) pg.Args {
	args := pg.Args{"only": v.Only, "except": v.Except, "now": v.Moment.At}
	maps.Copy(args, more)
	return args
}
