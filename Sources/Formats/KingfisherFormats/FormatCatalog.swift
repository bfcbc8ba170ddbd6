public import KingfisherImage

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
#if WITH_RAW
    import KingfisherRAW
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

/// The formats of this package: one row for each product. The conditions are set in `Package.swift`, so that
/// `KINGFISHER_WITHOUT` leaves out both modules and rows.
///
/// What a row says is in the codec: extensions and media type in `ImageCodec`, sample, trust and rights in
/// `CatalogCodec`.
package enum FormatCatalog {
    /// All formats, in the order in which a decoder process decodes their samples.
    package static var codecs: [any CatalogCodec] {
        [JPEGCodec(), PNGCodec(), APNGCodec(), GIFCodec()] + products
    }

    /// The formats that a program must register.
    package static var products: [any CatalogCodec] {
        var codecs: [any CatalogCodec] = []
        #if WITH_AVIF
            codecs += [AVIFCodec()]
        #endif
        #if WITH_BMP
            codecs += [BMPCodec(), ICOCodec()]
        #endif
        #if WITH_HEIC
            codecs += [HEICCodec()]
        #endif
        #if WITH_JPEGXL
            codecs += [JPEGXLCodec()]
        #endif
        #if WITH_PNM
            codecs += [PNMCodec()]
        #endif
        #if WITH_SVG
            codecs += [SVGCodec()]
        #endif
        #if WITH_TIFF
            codecs += [TIFFCodec()]
        #endif
        // After TIFF, which most RAW files are as well: the codec registered last is asked first.
        #if WITH_RAW
            codecs += [RAWCodec()]
        #endif
        #if WITH_WEBP
            codecs += [WebPCodec()]
        #endif
        return codecs
    }
}

extension ImageCodecs {
    /// Registers all formats of this package that are not built in, as `register(_:)` does for each: AVIF,
    /// BMP, ICO, HEIC, JPEG XL, PNM, RAW, SVG, TIFF and WebP, without those that `KINGFISHER_WITHOUT` left
    /// out.
    ///
    /// Call it once, before the first load. It loads no library; the libraries for AVIF, HEIC, JPEG XL, SVG
    /// and TIFF are loaded with the first file.
    public static func registerAll() {
        for codec in FormatCatalog.products { register(codec) }
    }
}
