/// The parts of the desktop's appearance that select a variant of an image.
public struct ImageAppearance: Hashable, Sendable {
    /// Whether the surroundings are dark.
    public var isDark: Bool
    /// Whether the user prefers high contrast.
    public var isHighContrast: Bool

    /// Creates an appearance; light and with normal contrast by default.
    public init(isDark: Bool = false, isHighContrast: Bool = false) {
        self.isDark = isDark
        self.isHighContrast = isHighContrast
    }
}

package struct ImageVariants: Equatable, Sendable {
    var dark: Image?
    var highContrast: Image?
    var highContrastDark: Image?

    package static func == (one: ImageVariants, other: ImageVariants) -> Bool {
        one.dark === other.dark && one.highContrast === other.highContrast
            && one.highContrastDark === other.highContrastDark
    }

    func image(for appearance: ImageAppearance) -> Image? {
        switch (appearance.isDark, appearance.isHighContrast) {
        case (false, false): nil
        case (true, false): dark
        case (false, true): highContrast
        // A bright image on a dark desktop disturbs more than a lower contrast.
        case (true, true): highContrastDark ?? dark ?? highContrast
        }
    }
}

extension Image {
    /// The same image with variants that are drawn instead of it on a dark or high-contrast desktop; a new
    /// object.
    ///
    /// Use it for images that belong to the user interface, such as a placeholder or an `onFailureImage`.
    /// Widgets change the variant when the appearance of the desktop changes. The size of this image is used
    /// for layout, and an animated variant shows its first frame. An appearance without a variant shows this
    /// image; dark with high contrast falls back to `dark`, then to `highContrast`. Variants are not stored
    /// on disk.
    public func withVariants(
        dark: Image? = nil, highContrast: Image? = nil, highContrastDark: Image? = nil
    ) -> Image {
        replacing {
            $0.variants = ImageVariants(
                dark: dark, highContrast: highContrast, highContrastDark: highContrastDark)
        }
    }

    /// Returns the variant to draw with `appearance`: this image, unless `withVariants` has set another.
    public func variant(for appearance: ImageAppearance) -> Image {
        traits.variants?.image(for: appearance) ?? self
    }
}
