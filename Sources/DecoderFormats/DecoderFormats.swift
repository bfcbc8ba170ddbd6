import KingfisherImage
package import KingfisherIsolation

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

/// The codecs of `kingfisher-decoder`. Their types are `IsolatableCodec`, which says when a policy isolates
/// them.
package enum DecoderFormats {
    /// In the order in which their samples are decoded before the lock-down.
    package static var all: [WorkerFormat] {
        var formats = [
            WorkerFormat(JPEGCodec(), sample: Samples.jpeg),
            WorkerFormat(PNGCodec(), sample: Samples.png),
            WorkerFormat(APNGCodec(), sample: Samples.apng),
            WorkerFormat(GIFCodec(), sample: Samples.gif),
        ]
        #if WITH_WEBP
            formats.append(WorkerFormat(.webP, sample: Samples.webP))
        #endif
        #if WITH_AVIF
            formats.append(WorkerFormat(.avif, sample: Samples.avif))
        #endif
        #if WITH_JPEGXL
            formats.append(WorkerFormat(.jpegXL, sample: Samples.jpegXL))
        #endif
        #if WITH_HEIC
            formats.append(WorkerFormat(.heic, sample: Samples.heic))
        #endif
        #if WITH_TIFF
            formats.append(WorkerFormat(.tiff, sample: Samples.tiff))
        #endif
        #if WITH_SVG
            formats.append(WorkerFormat(.svg, sample: Samples.svg, fontPaths: { SVGCodec.fontPaths }))
        #endif
        #if WITH_BMP
            formats.append(WorkerFormat(.bmp, sample: Samples.bmp))
            formats.append(WorkerFormat(.ico, sample: Samples.ico))
        #endif
        #if WITH_PNM
            formats.append(WorkerFormat(.pnm, sample: Samples.pnm))
        #endif
        return formats
    }
}
