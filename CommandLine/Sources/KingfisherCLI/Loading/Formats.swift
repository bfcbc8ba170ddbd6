import Kingfisher
import KingfisherIsolation

#if WITH_AVIF
    import KingfisherAVIF
#endif
#if WITH_BMP
    import KingfisherBMP
#endif
#if WITH_HEIC
    import KingfisherHEIC
#endif
#if WITH_JPEGXL
    import KingfisherJPEGXL
#endif
#if WITH_PNM
    import KingfisherPNM
#endif
#if WITH_SVG
    import KingfisherSVG
#endif
#if WITH_TIFF
    import KingfisherTIFF
#endif
#if WITH_WEBP
    import KingfisherWebP
#endif

enum Formats {
    /// Must be called before arguments are parsed, because help and errors list all formats.
    ///
    /// Formats with a history of vulnerabilities are decoded in another process.
    static func register() {
        #if WITH_AVIF
            ImageCodecs.register(.avif)
        #endif
        #if WITH_BMP
            ImageCodecs.register(.bmp)
            ImageCodecs.register(.ico)
        #endif
        #if WITH_HEIC
            ImageCodecs.register(.heic)
        #endif
        #if WITH_JPEGXL
            ImageCodecs.register(.jpegXL)
        #endif
        #if WITH_PNM
            ImageCodecs.register(.pnm)
        #endif
        #if WITH_SVG
            ImageCodecs.register(.svg)
        #endif
        #if WITH_TIFF
            ImageCodecs.register(.tiff)
        #endif
        #if WITH_WEBP
            ImageCodecs.register(.webP)
        #endif
        ImageCodecs.isolate()
    }
}
