import Kingfisher

#if WITH_WEBP
    import KingfisherWebP
#endif

/// The formats that the tool knows beside those of the library's core.
enum Formats {
    /// Called before arguments are read, because help and errors name all formats.
    static func register() {
        #if WITH_WEBP
            ImageCodecs.register(.webP)
        #endif
    }
}
