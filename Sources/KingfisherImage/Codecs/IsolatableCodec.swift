/// A codec that the decoder process also has. Its files can be decoded there.
package protocol IsolatableCodec: ImageCodec {
    /// Whether the codec may run in the program: its library has no history of vulnerabilities. True by
    /// default.
    static var isTrusted: Bool { get }

    /// Whether files name fonts, which the process must open. False by default.
    static var opensFonts: Bool { get }

    /// The setting that the codec of the process gets, such as a page; 0 for a codec without one.
    var variant: Int { get }

    /// The codec with another setting.
    func with(variant: Int) -> Self
}

extension IsolatableCodec {
    package static var isTrusted: Bool { true }

    package static var opensFonts: Bool { false }

    package var variant: Int { 0 }

    package func with(variant: Int) -> Self { self }
}

extension JPEGCodec: IsolatableCodec {}

extension PNGCodec: IsolatableCodec {}

extension APNGCodec: IsolatableCodec {}

extension GIFCodec: IsolatableCodec {}
