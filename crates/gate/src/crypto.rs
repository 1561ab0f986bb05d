//! Signatures, checked by ring, which TLS has brought along already. Nothing is ever signed here.

use std::sync::Once;

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256, RsaParameters,
    RsaPublicKeyComponents, UnparsedPublicKey,
};
use signature::{Error, Verifier};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(ErrorKind::InvalidAlgorithm.into()),
    verifier_factory: |algorithm, key| match algorithm {
        Algorithm::RS256 | Algorithm::PS256 | Algorithm::ES256 | Algorithm::EdDSA => {
            Ok(Box::new(Signed { algorithm: *algorithm, key: key.clone() }))
        }
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    },
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes ring the one who checks signatures of tokens in this process.
pub fn install() {
    static ONCE: Once = Once::new();
    // Whoever was first in this process stays; there is no other provider in the binary.
    ONCE.call_once(|| {
        let _ = PROVIDER.install_default();
    });
}

struct Signed {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for Signed {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), Error> {
        let rsa = |parameters: &RsaParameters| match self.key.kind() {
            DecodingKeyKind::RsaModulusExponent { n, e } => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature).map_err(|_| Error::new())
            }
            DecodingKeyKind::SecretOrDer(_) => Err(Error::new()),
        };
        let point = || self.key.try_get_as_bytes().map_err(|_| Error::new());
        let checked = |outcome: Result<(), ring::error::Unspecified>| outcome.map_err(|_| Error::new());
        match self.algorithm {
            Algorithm::RS256 => rsa(&RSA_PKCS1_2048_8192_SHA256),
            Algorithm::PS256 => rsa(&RSA_PSS_2048_8192_SHA256),
            Algorithm::ES256 => {
                checked(UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point()?).verify(message, signature))
            }
            Algorithm::EdDSA => checked(UnparsedPublicKey::new(&ED25519, point()?).verify(message, signature)),
            _ => Err(Error::new()),
        }
    }
}

impl JwtVerifier for Signed {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
