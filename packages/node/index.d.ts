/** The driver's manifest, which the Vulkan loader reads. */
export function manifest(): string;
/** The variables that make Etzel the only Vulkan driver of a program; `wgpu`: of one that stands on wgpu. */
export function environment(options?: {wgpu?: boolean}): Record<string, string>;
/** Sets them for this process, before anything in it makes a Vulkan instance, and for those that it starts. */
export function use(options?: {wgpu?: boolean}): void;
