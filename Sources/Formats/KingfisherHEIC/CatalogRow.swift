package import Foundation
import KingfisherCodecSupport

extension HEICCodec: CatalogCodec {
    /// Made with heif-enc from a gradient.
    package var sample: Data {
        Data(
            base64Sample: """
                AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAUJtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA
                AA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFmAAEAAAAAAAAAQgAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEA
                AGh2YzEAAAAAwmlwcnAAAACkaXBjbwAAAHhodmNDAQNwAAAAAAAAAAAAHvAA/P34+AAADwMgAAEAGEABDAH//wNwAAADAJAAAAMA
                AAMAHroCQCEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqSSmubgQEDAgAAAMACAAAAwAIQCIAAQAHRAHBcrAiQAAAABRpc3Bl
                AAAAAAAAAEAAAABAAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAoMAAABKbWRhdAAAAD4oAa8ZgPeAQ+5ECzkP
                9NbSe9nlEPXURB1zYkkSEUZ9Hqc16ecPv4VO/SZLFD9aSxLEKOA/XlxQpKLz+gXFxQ==
                """)
    }

    package var isTrusted: Bool { false }
}
