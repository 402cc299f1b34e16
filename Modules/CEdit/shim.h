#include <histedit.h>
#include <stdio.h>

/* el_wset takes a variable number of arguments, which Swift does not import:
   one function for each setting that is used. */

static inline int airlink_edit_set_editor(EditLine *el, const wchar_t *name)
{
	return el_wset(el, EL_EDITOR, name);
}

/* Whether libedit handles signals itself. */
static inline int airlink_edit_set_signals(EditLine *el, int on)
{
	return el_wset(el, EL_SIGNAL, on);
}

/* Where characters come from. */
static inline int airlink_edit_set_reader(EditLine *el, el_rfunc_t reader)
{
	return el_wset(el, EL_GETCFN, reader);
}

static inline int airlink_edit_set_data(EditLine *el, void *data)
{
	return el_wset(el, EL_CLIENTDATA, data);
}

static inline void *airlink_edit_data(EditLine *el)
{
	void *data = NULL;
	el_wget(el, EL_CLIENTDATA, &data);
	return data;
}

/* On: each el_wgets carries out one command. Turning it on begins a new line. */
static inline int airlink_edit_set_unbuffered(EditLine *el, int on)
{
	return el_wset(el, EL_UNBUFFERED, on);
}

/* On: the terminal's mode for editing; off: the mode it was found in. */
static inline int airlink_edit_set_raw(EditLine *el, int on)
{
	return el_wset(el, EL_PREP_TERM, on);
}
