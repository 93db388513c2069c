// The token under the pointer or the focus; every place that shows it lights it.

export const hovered = $state<{ token: string | null }>({ token: null });
