package import Foundation
import KingfisherCodecSupport

extension TIFFCodec: CatalogCodec {
    /// Made with Pillow 13 from a gradient.
    package var sample: Data {
        Data(
            base64Sample: """
                SUkqAHAAAAB4nBWNQREAQQzCKqVSkFIpkYIUpCDl9nhmCMywg4YbGDxk6DDLLlpuYfGSpcuIFRInEBYRFXPsoeMODh85em/y2a/4
                2B9DoO/KrJE5/9QmpmbCBoXLX3VIaJiyReX6+y4pLR+8ZFgBAAoAAAEDAAEAAAAIAAAAAQEDAAEAAAAIAAAAAgEDAAMAAADuAAAA
                AwEDAAEAAAAIAAAABgEDAAEAAAACAAAAEQEEAAEAAAAIAAAAFQEDAAEAAAADAAAAFgEDAAEAAAAIAAAAFwEEAAEAAABnAAAAHAED
                AAEAAAABAAAAAAAAAAgACAAIAA==
                """)
    }

    package var isTrusted: Bool { false }

    package var variant: Int { page }

    package func with(variant: Int) -> TIFFCodec { TIFFCodec(page: variant) }
}
