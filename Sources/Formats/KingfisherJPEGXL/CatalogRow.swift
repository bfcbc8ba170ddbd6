package import Foundation
import KingfisherCodecSupport

extension JPEGXLCodec: CatalogCodec {
    /// Made with cjxl from a gradient.
    package var sample: Data {
        Data(
            base64Sample: """
                /wpBQEJxIQH8AKtyCQCACpVRxg1ezvV8+aHDYtrGdYa22rawhLHZXhgkJJzAxsU9N2eV5YnrCCpJJHK7Sv8D2/HfXOljBKoB
                AQ==
                """)
    }
}
