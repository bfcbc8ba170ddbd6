/// How an image's pixels are combined with the pixels below them.
///
/// Names and raw values are the same as in `CGBlendMode`. The formulas come from W3C "Compositing and
/// Blending Level 1"; the last two modes come from Core Graphics. In the comments s is the image's colour, d
/// the colour below, a their alpha; S and D are colours multiplied by alpha.
public enum BlendMode: Int32, CaseIterable, Sendable {
    /// The image over the canvas.
    case normal = 0
    /// s d: darker.
    case multiply = 1
    /// 1 - (1 - s)(1 - d): lighter.
    case screen = 2
    /// `hardLight` with s and d exchanged.
    case overlay = 3
    /// The darker of the two, channel by channel.
    case darken = 4
    /// The lighter of the two, channel by channel.
    case lighten = 5
    /// d / (1 - s), at most 1.
    case colorDodge = 6
    /// 1 - (1 - d) / s, at least 0.
    case colorBurn = 7
    /// Darkens or lightens softly, depending on whether s is above one half.
    case softLight = 8
    /// Multiplies where s is below one half, screens where it is above.
    case hardLight = 9
    /// |s - d|.
    case difference = 10
    /// s + d - 2 s d.
    case exclusion = 11
    /// The hue of s, with the saturation and luminosity of d.
    case hue = 12
    /// The saturation of s, with the hue and luminosity of d.
    case saturation = 13
    /// The hue and saturation of s, with the luminosity of d.
    case color = 14
    /// The luminosity of s, with the hue and saturation of d.
    case luminosity = 15
    /// Transparent everywhere.
    case clear = 16
    /// S alone.
    case copy = 17
    /// S where the backdrop is opaque.
    case sourceIn = 18
    /// S where the backdrop is transparent.
    case sourceOut = 19
    /// S over D, where the backdrop is opaque.
    case sourceAtop = 20
    /// D over S.
    case destinationOver = 21
    /// D where the image is opaque.
    case destinationIn = 22
    /// D where the image is transparent.
    case destinationOut = 23
    /// D over S, where the image is opaque.
    case destinationAtop = 24
    /// S and D where only one of the two is opaque.
    case xor = 25
    /// S + D - 1, at least 0, where both are opaque; where one is transparent, the other is unchanged.
    case plusDarker = 26
    /// S + D, at most 1.
    case plusLighter = 27
}
