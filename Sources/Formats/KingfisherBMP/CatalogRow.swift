package import Foundation
import KingfisherCodecSupport

extension BMPCodec: CatalogCodec {
    /// Made with Pillow 13 from a gradient.
    package var sample: Data {
        Data(
            base64Sample: """
                Qk1mAAAAAAAAADYAAAAoAAAABAAAAAQAAAABABgAAAAAADAAAADEDgAAxA4AAAAAAAAAAAAAgLQAgLQ8gLR4gLS0gHgAgHg8
                gHh4gHi0gDwAgDw8gDx4gDy0gAAAgAA8gAB4gAC0
                """)
    }
}

extension ICOCodec: CatalogCodec {
    /// Made with Pillow 13 from a gradient.
    package var sample: Data {
        Data(
            base64Sample: """
                AAABAAEAAgIAAAEAGABAAAAAFgAAACgAAAACAAAABAAAAAEAGAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP8A/wAAAAAA
                /wD/AAAAAAAAAAAAAAA=
                """)
    }
}
