/// How an image's pixels are combined with what lies below them, with the names and raw values of
/// `CGBlendMode`.
///
/// The formulas are those of W3C "Compositing and Blending Level 1"; the last two are Core Graphics' own. In
/// the comments s is the image's colour, d the colour below, a their alpha; S and D stand for colours
/// multiplied by alpha.
public enum BlendMode: Int32, CaseIterable, Sendable {
    /// The image over the canvas.
    case normal = 0
    /// s d: darker, as two slides in one projector.
    case multiply = 1
    /// 1 - (1 - s)(1 - d): lighter, as two projectors on one screen.
    case screen = 2
    /// `hardLight` with the two exchanged.
    case overlay = 3
    /// The darker of the two, channel by channel.
    case darken = 4
    /// The lighter of the two, channel by channel.
    case lighten = 5
    /// d / (1 - s), at most 1.
    case colorDodge = 6
    /// 1 - (1 - d) / s, at least 0.
    case colorBurn = 7
    /// Darkens or lightens softly, by whether s is above one half.
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
    /// Nothing.
    case clear = 16
    /// S alone.
    case copy = 17
    /// S where there is something below.
    case sourceIn = 18
    /// S where there is nothing below.
    case sourceOut = 19
    /// S over D, where there is something below.
    case sourceAtop = 20
    /// D over S.
    case destinationOver = 21
    /// D where the image is.
    case destinationIn = 22
    /// D where the image is not.
    case destinationOut = 23
    /// D over S, where the image is.
    case destinationAtop = 24
    /// Where there is only one of the two.
    case xor = 25
    /// S + D - 1, at least 0, where both are opaque. One that is transparent leaves the other as it is.
    case plusDarker = 26
    /// S + D, at most 1.
    case plusLighter = 27
}
