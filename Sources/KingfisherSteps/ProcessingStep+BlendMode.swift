extension ProcessingStep {
    /// How the colours of an image are combined with those of the canvas below it.
    ///
    /// The names are those of Kingfisher's `BlendMode`, which documents the formulas.
    public enum BlendMode: String, CaseIterable, Sendable {
        /// The image over the canvas.
        case normal
        /// Both colours multiplied: darker.
        case multiply
        /// The inverses of both multiplied: lighter.
        case screen
        /// `hardLight` with image and canvas exchanged.
        case overlay
        /// The darker of the two, channel by channel.
        case darken
        /// The lighter of the two, channel by channel.
        case lighten
        /// The canvas made lighter by the image.
        case colorDodge
        /// The canvas made darker by the image.
        case colorBurn
        /// The canvas made a little lighter or darker by the image.
        case softLight
        /// `multiply` where the image is dark, `screen` where it is light.
        case hardLight
        /// The absolute difference of both.
        case difference
        /// Like `difference`, with less contrast.
        case exclusion
        /// The hue of the image; saturation and luminosity of the canvas.
        case hue
        /// The saturation of the image; hue and luminosity of the canvas.
        case saturation
        /// Hue and saturation of the image, luminosity of the canvas.
        case color
        /// The luminosity of the image; hue and saturation of the canvas.
        case luminosity
        /// Transparent everywhere.
        case clear
        /// The image alone.
        case copy
        /// The image where the canvas is opaque.
        case sourceIn
        /// The image where the canvas is transparent.
        case sourceOut
        /// The image over the canvas, where the canvas is opaque.
        case sourceAtop
        /// The canvas over the image.
        case destinationOver
        /// The canvas where the image is opaque.
        case destinationIn
        /// The canvas where the image is transparent.
        case destinationOut
        /// The canvas over the image, where the image is opaque.
        case destinationAtop
        /// Each one where the other is transparent.
        case xor
        /// The sum of both minus one: darker.
        case plusDarker
        /// The sum of both: lighter.
        case plusLighter
    }
}
