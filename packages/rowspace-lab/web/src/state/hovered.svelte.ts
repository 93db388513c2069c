// The token under the pointer or with the focus, highlighted wherever it appears.

export const hovered = $state<{ token: string | null }>({ token: null });
